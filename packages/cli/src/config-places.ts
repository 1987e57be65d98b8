/**
 * Locations of settings files with servers.
 *
 * @module
 */
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Environment that decides where to look. */
export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** The environment of this process. */
export const surroundings = (): Surroundings => ({
  cwd: process.cwd(),
  home: process.env["HOME"] || homedir(),
  env: process.env,
  platform: process.platform,
});

/** Files in the working folder, in order of priority. */
const ofFolder = ({ cwd }: Surroundings): string[] =>
  [".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"].map((path) => join(cwd, path));

/** Vitrine's own file of this user. */
export const ownFile = ({ home, env }: Surroundings): string =>
  join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "vitrine", "mcp.json");

/** Files of the user's other MCP clients. */
function ofClients({ home, env, platform }: Surroundings): string[] {
  const claude =
    platform === "darwin"
      ? join(home, "Library", "Application Support", "Claude")
      : platform === "win32"
        ? join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Claude")
        : join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "Claude");
  return [join(home, ".cursor", "mcp.json"), join(claude, "claude_desktop_config.json")];
}

/** Whether a file is that of another program, which rewrites it as it likes. */
export const isOfClient = (file: string, at: Surroundings): boolean =>
  ofClients(at).includes(file) ||
  (importPlaces(at).some(({ path }) => path === file) && !ofFolder(at).includes(file));

/** Files of other programs that can have servers, to import them. */
export function importPlaces(at: Surroundings): { program: string; path: string }[] {
  const { home, env, platform } = at;
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const apps =
    platform === "darwin"
      ? join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env["APPDATA"] ?? join(home, "AppData", "Roaming"))
        : config;
  const [cursor, claude] = ofClients(at);
  const places: [program: string, path: string | undefined][] = [
    ["Claude Desktop", claude],
    ["Claude Code", join(home, ".claude.json")],
    ["Cursor", cursor],
    ["VS Code", join(apps, "Code", "User", "mcp.json")],
    ["VS Code settings", join(apps, "Code", "User", "settings.json")],
    ["VS Code Insiders", join(apps, "Code - Insiders", "User", "mcp.json")],
    ["VSCodium", join(apps, "VSCodium", "User", "mcp.json")],
    ["Windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")],
    ["Zed", join(platform === "win32" ? join(apps, "Zed") : join(config, "zed"), "settings.json")],
    ["Gemini CLI", join(home, ".gemini", "settings.json")],
    ["LM Studio", join(home, ".lmstudio", "mcp.json")],
    ["Amazon Q", join(home, ".aws", "amazonq", "mcp.json")],
    [
      "Cline",
      join(
        apps,
        "Code",
        "User",
        "globalStorage",
        "saoudrizwan.claude-dev",
        "settings",
        "cline_mcp_settings.json",
      ),
    ],
    ...ofFolder(at).map((path): [string, string] => ["This folder", path]),
  ];
  return places.flatMap(([program, path]) => (path === undefined ? [] : [{ program, path }]));
}

/**
 * Whether a file is in a personal location, which only the user's programs write. Files of a working folder
 * can come from anyone.
 */
export const isPersonal = (file: string, at: Surroundings): boolean =>
  [ownFile(at), ...ofClients(at)].includes(file);

/** All locations, in the order of search. */
export const configPlaces = (at: Surroundings): string[] => [...ofFolder(at), ownFile(at), ...ofClients(at)];

/** Locations for a gateway that others use: it must not use servers from the user's other clients. */
export const servePlaces = (at: Surroundings): string[] => [...ofFolder(at).slice(0, 2), ownFile(at)];

/** The existing regular files. Others are skipped: a pipe would block, a device never ends. */
export const filesAt = (places: readonly string[]): string[] =>
  places.filter((file) => existsSync(file) && statSync(file).isFile());

/** The first existing file. */
export const firstFile = (places: readonly string[]): string | undefined => filesAt(places)[0];
