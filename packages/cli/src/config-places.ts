/**
 * Where people keep the servers that they use.
 *
 * @module
 */
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What decides where to look. */
export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Those of this process. */
export const surroundings = (): Surroundings => ({
  cwd: process.cwd(),
  home: process.env["HOME"] || homedir(),
  env: process.env,
  platform: process.platform,
});

/** The folder's own files, the nearest to the usual form first. */
const ofFolder = ({ cwd }: Surroundings): string[] =>
  [".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"].map((path) => join(cwd, path));

/** Our own file of this person. */
const ofPerson = ({ home, env }: Surroundings): string =>
  join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "vitrine", "mcp.json");

/** The files of other clients of this person. */
function ofClients({ home, env, platform }: Surroundings): string[] {
  const claude =
    platform === "darwin"
      ? join(home, "Library", "Application Support", "Claude")
      : platform === "win32"
        ? join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Claude")
        : join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "Claude");
  return [join(home, ".cursor", "mcp.json"), join(claude, "claude_desktop_config.json")];
}

/** Whether a file is the person's own: nothing but that person's programs writes there. Files of a working folder came from anybody. */
export const isPersonal = (file: string, at: Surroundings): boolean =>
  [ofPerson(at), ...ofClients(at)].includes(file);

/** All places, in the order in which they are looked at. */
export const configPlaces = (at: Surroundings): string[] => [...ofFolder(at), ofPerson(at), ...ofClients(at)];

/** Those for a gateway that others use: what a person has in another client is not for them. */
export const servePlaces = (at: Surroundings): string[] => [...ofFolder(at).slice(0, 2), ofPerson(at)];

/** The files that are there. Others than plain ones are passed over: a pipe would be waited for, a device never ends. */
export const filesAt = (places: readonly string[]): string[] =>
  places.filter((file) => existsSync(file) && statSync(file).isFile());

/** The first file that is there. */
export const firstFile = (places: readonly string[]): string | undefined => filesAt(places)[0];
