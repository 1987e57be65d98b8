/**
 * Resolves a server argument, in this order: a URL, a name from the file of `--config`, a demo, a name from a
 * found settings file, a folder, a file, a command.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLineServer } from "@vitrine/gateway";
import type { ServerSettings } from "@vitrine/servers";
import { closest } from "@vitrine/servers/support";
import {
  approvalOf,
  atHome,
  type Config,
  type ConfigOptions,
  configFile,
  OWN,
  readConfig,
  skippedText,
} from "./config.js";
import { configPlaces, filesAt, isPersonal, type Surroundings } from "./config-places.js";
import { DEMOS, type Demo } from "./demos.js";
import { addedVariables, handedOn } from "./environment.js";
import { CliError, usage } from "./exit.js";
import { fileStart, folderStart, isFile, isFolder, type Start } from "./folder-server.js";
import { onPath } from "./program-path.js";
import { fileValues, serverNames } from "./trust/file-content.js";
import type { TrustsFiles } from "./trust/file-trust.js";
import { splitWords } from "./words.js";

/** Options of {@link ServerArguments}. */
export interface ServerOptions extends ConfigOptions {
  /** `NAME=VALUE`, for started programs. */
  readonly env?: readonly string[] | undefined;
}

const URL_LIKE = /^[a-z][a-z0-9+.-]*:\/\//i;
const NAME_LIKE = /^[A-Za-z0-9._-]{1,64}$/;

const demoOf = (argument: string): Demo | undefined => DEMOS.find(({ name }) => name === argument);

/** Finds servers by argument. The settings file is read once, and only if a name is looked up. */
export class ServerArguments {
  readonly #options: ServerOptions;
  readonly #at: Surroundings;
  readonly #trust: TrustsFiles;
  readonly #oninfo: (sentence: string) => void;
  /** Reserved names: of found servers, and of the settings file. */
  readonly #taken: string[] = [];
  readonly #ofFile = new Set<string>();
  #config: Promise<Config | undefined> | undefined;

  /** `oninfo` is called with the used file, and with its skipped parts. */
  constructor(
    options: ServerOptions,
    at: Surroundings,
    trust: TrustsFiles,
    oninfo: (sentence: string) => void,
  ) {
    this.#options = options;
    this.#at = at;
    this.#trust = trust;
    this.#oninfo = oninfo;
  }

  /**
   * The settings file; undefined if there is none. An error in a requested server is thrown. An unapproved
   * file without any requested server is not used, so that the user need not be asked.
   *
   * @param asked the requested names; all servers, if empty
   */
  config(asked: readonly string[] = []): Promise<Config | undefined> {
    return (this.#config ??= this.#read(asked));
  }

  /** Whether the file was needed. */
  get didLook(): boolean {
    return this.#config !== undefined;
  }

  /** Whether a found server comes from the settings file, not just from something with the same name. */
  isOfFile({ name }: ServerSettings): boolean {
    return this.#ofFile.has(name);
  }

  /** Whether a found settings file must be read for this argument: a demo's name means the demo. */
  static isName(argument: string): boolean {
    return NAME_LIKE.test(argument) && !/^\.{1,2}$/.test(argument) && !demoOf(argument);
  }

  /** Adds environment variables to a server of a file. */
  equipped(server: ServerSettings): ServerSettings {
    return atHome(server, this.#at.env, this.#added());
  }

  /**
   * The servers of an argument: one, or those of a folder's own settings file.
   *
   * @throws {CliError} `usage`, `server-unknown`, `config-invalid`
   */
  async find(argument: string): Promise<ServerSettings[]> {
    const found = await this.#find(argument.trim());
    this.#taken.push(...found.map(({ name }) => name));
    return found;
  }

  /** The single server of an argument. */
  async findOne(argument: string): Promise<ServerSettings> {
    const found = await this.find(argument);
    const [first] = found;
    if (first && found.length === 1) return first;
    const names = found.map(({ name }) => name).join(", ");
    throw usage(`${argument} has ${found.length} servers (${names}): choose one, with --config and its file`);
  }

  /** A server from a program and its arguments, such as a built-in demo. */
  program({ words, cwd, name }: Start): ServerSettings {
    const { strict } = this.#options;
    const server = commandLineServer(words, {
      cwd,
      strict,
      taken: this.#taken,
      env: { ...handedOn(this.#at.env), ...this.#added() },
      isolation: strict ? { driver: "auto", read: [cwd] } : OWN,
    });
    // A folder's package name is better than its file name.
    return name !== undefined && NAME_LIKE.test(name) && !this.#isTaken(name) ? { ...server, name } : server;
  }

  /** A built-in demo. */
  demo({ name, file }: Demo): ServerSettings {
    const path = fileURLToPath(file);
    return this.program({ words: [process.execPath, path], cwd: dirname(path), name });
  }

  #added(): Record<string, string> {
    return addedVariables(this.#options.env ?? [], this.#at.env);
  }

  /** The gateway's names are case-insensitive. */
  #isTaken(name: string): boolean {
    return this.#taken.some((each) => each.toLowerCase() === name.toLowerCase());
  }

  async #find(argument: string): Promise<ServerSettings[]> {
    if (argument === "") throw usage("give a server: a command in quotes, a URL, a name, a folder or a file");
    if (URL_LIKE.test(argument)) {
      return [commandLineServer([argument], { strict: this.#options.strict, taken: this.#taken })];
    }
    const isName = ServerArguments.isName(argument);
    const demo = demoOf(argument);
    // With --config, its names come before those of the demos.
    const isLookedUp = isName || (demo && this.#options.config !== undefined);
    const named = isLookedUp ? await this.#named(argument) : undefined;
    if (named) return [named];
    if (demo) {
      await this.#tellOthers(demo);
      return [this.demo(demo)];
    }
    const path = resolve(this.#at.cwd, argument);
    const hasFolder = await isFolder(path);
    const hasFile = await isFile(path);
    if (isName && (hasFolder || hasFile)) await this.#checkMeant(argument);
    if (hasFolder) return this.#folder(path);
    if (hasFile) return [this.program(await fileStart(path, this.#at.cwd))];
    const words = splitWords(argument);
    const [first = "", second] = words;
    if (second !== undefined || (await onPath(first, this.#at)))
      return [this.program({ words, cwd: this.#at.cwd })];
    throw await this.#unknown(argument, isName);
  }

  /**
   * Refuses a plain word that means something in this folder and also something of the user's: the folder's
   * author chose the names in it.
   *
   * @throws {CliError} `usage`
   */
  async #checkMeant(name: string): Promise<void> {
    const own = this.#options.config === undefined ? filesAt(configPlaces(this.#at)) : [];
    for (const file of own) {
      if (!isPersonal(file, this.#at) || !serversIn(await readText(file))?.includes(name)) continue;
      throw usage(
        `${name} is in this folder, and a server of ${file}: write ./${name} for the one, or add --config ${file} for the other`,
      );
    }
    const program = await onPath(name, this.#at);
    if (program !== undefined)
      throw usage(
        `${name} is in this folder, and a program: write ./${name} for the one, or ${program} for the other`,
      );
  }

  /** Notes other meanings of a demo's name, and how to use those. */
  async #tellOthers({ name }: Demo): Promise<void> {
    const path = resolve(this.#at.cwd, name);
    if ((await isFolder(path)) || (await isFile(path)))
      this.#oninfo(`${name} is the demo; write ./${name} for what is in this folder`);
    const file = this.#options.config === undefined ? configFile(this.#options, this.#at) : undefined;
    if (file !== undefined && serversIn(await readText(file))?.includes(name))
      this.#oninfo(
        `${name} is the demo; add --config ${relative(this.#at.cwd, file)} for the server of that file`,
      );
  }

  async #folder(path: string): Promise<ServerSettings[]> {
    const start = await folderStart(path);
    if ("words" in start) return [this.program(start)];
    const approve = approvalOf(start.config, this.#at, this.#trust);
    const { settings, skipped } = await readConfig(start.config, this.#options, this.#at, approve);
    this.#tell(skipped);
    const servers = [...settings.servers.values()].map((server) => this.equipped(server));
    if (servers.length > 0) return servers;
    throw new CliError("server-unknown", `${start.config} has no usable server: add one`);
  }

  async #named(name: string): Promise<ServerSettings | undefined> {
    const config = await this.config([name]);
    const server = config?.settings.servers.get(name);
    if (server) {
      this.#ofFile.add(name);
      return this.equipped(server);
    }
    const problem = config?.skipped.find((each) => each.server === name)?.problem;
    if (problem) throw new CliError("config-invalid", problem);
    return undefined;
  }

  async #unknown(argument: string, isName: boolean): Promise<CliError> {
    if (!isName) return new CliError("server-unknown", `there is no file, folder or program ${argument}`);
    const config = await this.config();
    const names = [...(config?.settings.servers.keys() ?? [])];
    const file = config?.file ?? configFile(this.#options, this.#at);
    const known = config
      ? `${config.file} has ${names.length > 0 ? names.join(", ") : "no servers"}${closest(argument, names)}`
      : file === undefined
        ? `there is no settings file in the usual locations, the first of which is ${configPlaces(this.#at)[0]}`
        : `${file}, which you have not approved, has none of that name either`;
    return new CliError(
      "server-unknown",
      `there is no server "${argument}", and no file, folder or program of that name; ${known}`,
    );
  }

  async #read(asked: readonly string[]): Promise<Config | undefined> {
    const file = configFile(this.#options, this.#at);
    if (file === undefined) return undefined;
    const approve = this.#options.config === undefined ? approvalOf(file, this.#at, this.#trust) : undefined;
    if (approve && asked.length > 0 && !(await this.#isOf(file, asked))) {
      this.#oninfo(`${file} is not used: you have not approved it, and it has no server of that name`);
      return undefined;
    }
    const config = await readConfig(file, this.#options, this.#at, approve);
    this.#taken.push(...config.settings.servers.keys());
    this.#oninfo(`settings: ${file}`);
    this.#tell(config.skipped.filter(({ server }) => server === undefined || !asked.includes(server)));
    return config;
  }

  /** Whether a file is already approved, or has one of these servers. */
  async #isOf(file: string, asked: readonly string[]): Promise<boolean> {
    const text = await readFile(file, "utf8");
    if (await this.#trust.isApproved(file, text)) return true;
    // The reader reports invalid JSON.
    return serversIn(text)?.some((name) => asked.includes(name)) ?? true;
  }

  #tell(skipped: Config["skipped"]): void {
    for (const each of skipped) this.#oninfo(skippedText(each));
  }
}

/** An unreadable file has no servers. */
const readText = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

/** The names of the servers in a text; undefined if it is invalid. */
function serversIn(text: string): string[] | undefined {
  try {
    return serverNames(fileValues(text));
  } catch {
    return undefined;
  }
}
