/**
 * Who a server is, beside its name: a hash of how it is reached (docs/decisions/016).
 *
 * @module
 */
import { hash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { isSecretName } from "@vitrine/protocol";
import type { Isolation } from "./isolation/isolation.js";

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
  /** How it is isolated: in a container the image is the program. */
  readonly isolation?: Partial<Pick<Isolation, "driver" | "image">> | undefined;
}

/** Where a remote server is, as the operator wrote it: references to secrets are names here, too. */
export interface RemoteStart {
  readonly url: string;
  /** The origin that the URL leads to, if a reference in it hides that. A host is no secret, and another host is another server. */
  readonly origin?: string | undefined;
}

/**
 * Variables that decide which code runs under the same command: shells, loaders, runtimes, package managers, container engines, and
 * where downloads come from. All others are configuration or secrets, and do not count.
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
 * The identity of a server: 64 hexadecimal digits. Two servers have the same one only if they are reached in the same way.
 *
 * @example
 * ```ts source="./servers.examples.ts#identityOf"
 * const good = identityOf({ command: "npx", args: ["-y", "@good/server-x"], folder: "/home/ana" });
 * const evil = identityOf({ command: "npx", args: ["-y", "@evil/server-x"], folder: "/home/ana" });
 * const remote = identityOf({ url: "https://mcp.example.com:8443/mcp" });
 * // Three identities, although people read "server-x" twice.
 * ```
 */
export const identityOf = (reached: ProgramStart | RemoteStart): ServerIdentity =>
  hash("sha256", JSON.stringify("url" in reached ? remoteOf(reached) : programOf(reached)));

const remoteOf = ({ url, origin }: RemoteStart): string[] => {
  const written = ["url", normalUrl(url)];
  return origin === undefined || origin === originOf(url) ? written : [...written, origin];
};

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** Small letters in the host, no port that the scheme implies, no `..`. Path and query stay: they may lead to another server. */
const normalUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

function programOf({ command, args, folder, env = {}, isolation = {} }: ProgramStart): unknown[] {
  const variables = Object.entries(env)
    .filter(([name]) => CODE_VARIABLES.test(name) && !isSecretName(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return ["program", programName(command, folder), args, absolute(folder), variables, imageOf(isolation)];
}

/** An image without a driver of its own means a container (`chooseDriver`). */
const imageOf = ({ driver = "auto", image = "" }: NonNullable<ProgramStart["isolation"]>): string =>
  driver === "auto" || driver === "container" ? image : "";

/** A plain name is looked up in the PATH, which is the operator's own. A new version of Node is still Node. */
function programName(command: string, folder: string): string {
  if (command === process.execPath) return "node";
  return /[\\/]/.test(command) ? absolute(command, folder) : command;
}

/** After a symbolic link, `..` leads elsewhere than the letters say: a path that has it stays as it is written. */
function absolute(path: string, folder = process.cwd()): string {
  if (!path.split(/[\\/]/).includes("..")) return resolve(folder, path);
  return isAbsolute(path) ? path : `${absolute(folder)}/${path}`;
}
