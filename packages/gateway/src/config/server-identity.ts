/**
 * Who a server is, beside its name: a hash of how it is reached (docs/decisions/016).
 *
 * @module
 */
import { hash } from "node:crypto";
import { resolve } from "node:path";
import { isSecretName } from "@vitrine/protocol";

/**
 * Names are for people, and anybody can choose one. Everything that belongs to one server alone is kept by its name *and* this: the
 * origin of its apps, answers of people, results, sign-ins, audit rows.
 */
export type ServerIdentity = string;

/** How a program is started, as the operator wrote it: references to secrets are names here, not values. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Where relative paths lead: its working directory. */
  readonly folder: string;
  /** The variables that the settings set; not those of the environment that the gateway runs in. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The container image that the program is in. */
  readonly image?: string | undefined;
}

/** Variables that decide which code runs under the same command. All others are configuration or secrets, and do not count. */
const CODE_VARIABLES =
  /^(PATH|HOME|USERPROFILE|ENV|BASH_ENV|CLASSPATH|NODE_(OPTIONS|PATH)|(LD|DYLD)_\w+|PYTHON(PATH|HOME|STARTUP)|VIRTUAL_ENV|RUBY(OPT|LIB)|PERL5(OPT|LIB)|_?JAVA(_TOOL)?_OPTIONS|(NPM_CONFIG|UV|PIP|PIPX|BUN|DENO)_\w+)$/i;

/**
 * The identity of a server: 64 hexadecimal digits. Two servers have the same one only if they are reached in the same way.
 *
 * @example
 * ```ts source="./config.examples.ts#identityOf"
 * const good = identityOf({ command: "npx", args: ["-y", "@good/server-x"], folder: "/home/ana" });
 * const evil = identityOf({ command: "npx", args: ["-y", "@evil/server-x"], folder: "/home/ana" });
 * const remote = identityOf({ url: "https://mcp.example.com:8443/mcp" });
 * // Three identities, although people read "server-x" twice.
 * ```
 */
export const identityOf = (reached: ProgramStart | { readonly url: string }): ServerIdentity =>
  hash("sha256", JSON.stringify("url" in reached ? ["url", normalUrl(reached.url)] : programOf(reached)));

/** Small letters in the host, no port that the scheme implies, no `..`. Path and query stay: they may lead to another server. */
const normalUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

function programOf({ command, args, folder, env = {}, image = "" }: ProgramStart): unknown[] {
  const variables = Object.entries(env)
    .filter(([name]) => CODE_VARIABLES.test(name) && !isSecretName(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return ["program", programName(command, folder), args, resolve(folder), variables, image];
}

/** A plain name is looked up in the PATH, which is the operator's own. A new version of Node is still Node. */
function programName(command: string, folder: string): string {
  if (command === process.execPath) return "node";
  return /[\\/]/.test(command) ? resolve(folder, command) : command;
}
