/**
 * A server's identity: a hash of how it is reached (docs/decisions/016).
 *
 * @module
 */
import { hash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { isSecretName } from "@vitrine/protocol";
import type { Isolation } from "./isolation/isolation.js";

/**
 * Identifies a server independently of its name, which anybody can choose. Everything that belongs to one
 * server is stored under its name *and* this: the origin of its apps, approvals, results, sign-ins, audit
 * rows.
 */
export type ServerIdentity = string;

/** How a program is started, as the operator wrote it. References to secrets appear by name, not by value. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  /** The working directory, which relative paths refer to. */
  readonly folder: string;
  /** Variables from the settings, without the gateway's own environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Isolation settings: in a container, the image is the program. */
  readonly isolation?: Partial<Pick<Isolation, "driver" | "image">> | undefined;
}

/** The address of a remote server, as the operator wrote it. References to secrets appear by name. */
export interface RemoteStart {
  readonly url: string;
  /**
   * The origin of the URL, if a reference hides it. A host is not a secret, and another host is another
   * server.
   */
  readonly origin?: string | undefined;
}

/**
 * Variables that decide which code runs under the same command: those of shells, loaders, runtimes, package
 * managers and container engines, and the sources of downloads. All others are configuration or secrets, and
 * do not count.
 */
const CODE_VARIABLES = new RegExp(
  `^(${[
    "PATH|PATHEXT|COMSPEC|SHELL|SHELLOPTS|BASHOPTS|ENV|BASH_ENV|BASH_FUNC_.*|ZDOTDIR|IFS|PS4",
    "HOME|USERPROFILE|(LOCAL)?APPDATA|XDG_\\w+",
    "(LD|DYLD|GLIBC)_\\w+|GIT_(SSH\\w*|EXEC_PATH|CONFIG\\w*|PROXY_COMMAND|ASKPASS|TEMPLATE_DIR)|SSH_ASKPASS|GCONV_PATH|LOCPATH|OPENSSL_(CONF|MODULES|ENGINES)",
    "NODE_(?!ENV$)\\w+|(NPM_CONFIG|NPM|NPX|PNPM|YARN|COREPACK|BUN|DENO|TSX|TS_NODE|NVM|VOLTA|FNM|ASDF|MISE)_\\w+",
    "PYTHON(?!UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE)\\w+|VIRTUAL_ENV|(UV|PIP|PIPX|PIPENV|POETRY|PDM|CONDA|PYENV)_\\w+",
    "RUBY\\w+|(GEM|BUNDLE|RBENV|RVM)_\\w+|PERL\\w+|PHPRC|(PHP|COMPOSER)_\\w+|LUA_\\w+|R_\\w+|JULIA_\\w+|ERL_\\w+|ELIXIR_\\w+",
    "CLASSPATH|JAVA_HOME|(_|JDK_)?JAVA(_TOOL)?_OPTIONS|(MAVEN|GRADLE|JBANG|COURSIER|KOTLIN|SCALA)_\\w+",
    "(DOTNET|CORECLR|COREHOST|COR|NUGET)_\\w+|PSMODULEPATH|GO(PATH|ROOT|BIN|ENV|FLAGS|PROXY|SUMDB|NOSUMDB|NOSUMCHECK|PRIVATE|INSECURE|TOOLCHAIN)|(CARGO|RUSTUP|RUSTC)_\\w+",
    "(DOCKER|CONTAINER|CONTAINERS|PODMAN|BUILDAH|NIX)_\\w+",
    "(HTTPS?|ALL|NO|FTP)_PROXY|SSL_CERT_(FILE|DIR)|(CURL|REQUESTS)_CA_BUNDLE",
  ].join("|")})$`,
  "i",
);

/**
 * Computes a server's identity: 64 hexadecimal digits. Two servers have the same identity only if they are
 * reached in the same way.
 *
 * @example
 * ```ts source="./servers.examples.ts#identityOf"
 * const good = identityOf({ command: "npx", args: ["-y", "@good/server-x"], folder: "/home/ana" });
 * const evil = identityOf({ command: "npx", args: ["-y", "@evil/server-x"], folder: "/home/ana" });
 * const remote = identityOf({ url: "https://mcp.example.com:8443/mcp" });
 * // Three different identities, although two are named "server-x".
 * ```
 */
export const identityOf = (reached: ProgramStart | RemoteStart): ServerIdentity =>
  hash("sha256", JSON.stringify("url" in reached ? remoteOf(reached) : programOf(reached)));

const remoteOf = ({ url, origin }: RemoteStart): string[] => {
  const written = ["url", normalUrl(url)];
  return origin === undefined || origin === originOf(url) ? written : [...written, origin];
};

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/**
 * Normalizes case of the host, default ports and `..`. Path and query stay: they may lead to another server.
 */
const normalUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

function programOf({ command, args, folder, env = {}, isolation = {} }: ProgramStart): unknown[] {
  const variables = Object.entries(env)
    .filter(([name]) => CODE_VARIABLES.test(name) && !isSecretName(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return ["program", programName(command, folder), args, absolute(folder), variables, imageOf(isolation)];
}

/** An image without an explicit driver implies a container (`chooseDriver`). */
const imageOf = ({ driver = "auto", image = "" }: NonNullable<ProgramStart["isolation"]>): string =>
  driver === "auto" || driver === "container" ? image : "";

/** A plain name is resolved by the PATH, which is the operator's own. A new version of Node is still Node. */
function programName(command: string, folder: string): string {
  if (command === process.execPath) return "node";
  return /[\\/]/.test(command) ? absolute(command, folder) : command;
}

/**
 * After a symbolic link, `..` may lead elsewhere than the text says: a path that contains it is not resolved.
 */
function absolute(path: string, folder = process.cwd()): string {
  if (!path.split(/[\\/]/).includes("..")) return resolve(folder, path);
  return isAbsolute(path) ? path : `${absolute(folder)}/${path}`;
}
