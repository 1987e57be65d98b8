/**
 * Finds servers in pasted text and in files of other programs: Claude, Cursor, VS Code, Windsurf, Zed, Gemini CLI
 * and others, each of which has its own keys for the same things.
 *
 * @module
 */
import { isSecretName } from "@vitrine/protocol";
import type { FoundServer, FoundServers } from "@vitrine/wire";
import { JsonError, type JsonMember, type JsonNode, parseJsonNodes } from "../config/json.js";
import { isObject } from "../config/reader.js";
import { type NewSecrets, referenceTo, secretNameFor } from "./drafts.js";
import type { WrittenEntry } from "./setup-host.js";

/** A server that was found, with the entry for the settings file. */
export interface FoundEntry extends FoundServer {
  readonly entry: WrittenEntry;
}

/** Keys that hold servers, in files of all programs. */
const HOLDERS = ["mcpServers", "servers", "context_servers"];
/** Keys that hold such keys: VS Code's settings, and the folders of Claude Code. */
const AROUND = ["mcp", "projects"];
const TAKEN = ["command", "args", "env", "cwd", "url", "headers", "type", "disabled", "isolation"];
/** Keys of other programs without a meaning here. */
const SILENT = ["source", "enabled", "description", "timeout", "trust", "tools", "gallery", "version", "dev"];
const MAX_SERVERS = 200;

/** Finds the servers of a text. */
export function findServers(text: string): Omit<FoundServers, "servers"> & { servers: FoundEntry[] } {
  // A piece of a file, as documents show it: `"name": { … }`.
  const isPiece = /^\s*"[^"]+"\s*:/.test(text);
  const whole = isPiece ? `{${text.replace(/,\s*$/, "")}}` : text;
  const lineOf = (position: number): number => whole.slice(0, position).split("\n").length;
  try {
    const root = parseJsonNodes(whole, { twice: () => true });
    const found = membersIn(root);
    const problems =
      found.length > 0
        ? []
        : [{ line: 1, message: 'there is no server here: paste an object with "mcpServers" or "servers"' }];
    const names = new Set<string>();
    const servers = found.slice(0, MAX_SERVERS).map(({ key, start, node }) => {
      const server = { ...foundServer(nameFrom(key, node), node.value), line: lineOf(start) };
      if (names.has(server.name)) server.problem ??= "this name is used twice; rename one of them";
      names.add(server.name);
      return server;
    });
    return { servers, problems };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { servers: [], problems: [{ line: error.line, message: error.problem }] };
  }
}

/** The members that are servers. */
function membersIn(node: JsonNode, depth = 0): readonly JsonMember[] {
  if (!isObject(node.value)) return [];
  if (depth === 0 && isServer(node.value)) return [{ key: "", start: node.start, node }];
  const members = node.members ?? [];
  const held = members.flatMap((member) => {
    if (HOLDERS.includes(`${member.key}`)) return member.node.members ?? [];
    if (!AROUND.includes(`${member.key}`)) return [];
    return member.key === "mcp"
      ? membersIn(member.node, depth + 1)
      : (member.node.members ?? []).flatMap((project) => membersIn(project.node, depth + 1));
  });
  if (held.length > 0 || depth > 0) return held;
  // Servers without a key around them.
  return members.every(({ node: each }) => isServer(each.value)) ? members : [];
}

const isServer = (value: unknown): boolean =>
  isObject(value) && ["command", "url", "serverUrl", "httpUrl"].some((key) => value[key] !== undefined);

/** A name that the settings accept. */
function nameFrom(key: string | number, { value }: JsonNode): string {
  const { command, args, url } = isObject(value) ? value : {};
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  const first = words.findLast((word) => !word.startsWith("-")) ?? `${url ?? "server"}`;
  const wanted = `${key}` || first.replace(/^https?:\/\//, "").replace(/^.*\/(?=.)/, "");
  const name = wanted.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 64);
  return /^\.{0,2}$/.test(name) ? "server" : name;
}

function foundServer(name: string, value: unknown): FoundEntry {
  const { entry, strange } = normalized(isObject(value) ? value : {});
  const { command, args, url, env, headers } = entry;
  const words = [command, ...(Array.isArray(args) ? args : [])].map((word) => quoted(String(word)));
  const kind = url === undefined ? ("command" as const) : ("address" as const);
  const input = /\$\{input:([^}]*)\}/.exec(JSON.stringify(entry));
  return {
    name,
    line: 1,
    entry,
    kind,
    shown: kind === "command" ? words.join(" ") : String(url),
    names: Object.keys(isObject(env) ? env : isObject(headers) ? headers : {}),
    notes: strange.map((key) => `“${key}” is not taken over`),
    ...(!isObject(value) && { problem: "must be an object with a command or a url" }),
    ...(input && { problem: `asks for the input “${input[1]}”: write its value in place of ${input[0]}` }),
  };
}

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word));

/** The same server with the keys of the settings file. */
function normalized(written: Readonly<Record<string, unknown>>): { entry: WrittenEntry; strange: string[] } {
  const { serverUrl, httpUrl, environment, enabled, ...rest } = written;
  const program = isObject(rest["command"]) ? rest["command"] : undefined;
  const list = Array.isArray(rest["command"]) ? rest["command"] : undefined;
  const all: Record<string, unknown> = {
    ...rest,
    ...(program && { command: program["path"], args: program["args"], env: program["env"] }),
    ...(list && { command: list[0], args: list.slice(1) }),
    url: rest["url"] ?? serverUrl ?? httpUrl,
    env: rest["env"] ?? program?.["env"] ?? environment,
    disabled: rest["disabled"] === true || enabled === false ? true : undefined,
    type: /^(local|remote)$/.test(`${rest["type"]}`) ? undefined : rest["type"],
  };
  const entries = TAKEN.flatMap((key) =>
    all[key] === undefined || all[key] === null ? [] : [[key, all[key]]],
  );
  const isKnown = (key: string): boolean => TAKEN.includes(key) || SILENT.includes(key);
  return {
    entry: Object.fromEntries(entries),
    strange: Object.keys(rest).filter((key) => !isKnown(key)),
  };
}

/** Moves values that look like secrets out of an entry. */
export function withStoredSecrets(server: string, entry: WrittenEntry, secrets: NewSecrets): WrittenEntry {
  const moved = (values: unknown, isSecret: (name: string) => boolean): unknown =>
    isObject(values)
      ? Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            if (typeof value !== "string" || value === "" || value.includes("${") || !isSecret(name))
              return [name, value];
            const secret = secretNameFor(server, name);
            secrets.set(secret, value);
            return [name, referenceTo(secret)];
          }),
        )
      : values;
  const { env, headers } = entry;
  return {
    ...entry,
    ...(env !== undefined && { env: moved(env, isSecretName) }),
    ...(headers !== undefined && { headers: moved(headers, (name) => !/^(accept|user-agent)$/i.test(name)) }),
  };
}
