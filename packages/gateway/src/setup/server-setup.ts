/**
 * Changes the servers of the settings file for pages.
 *
 * @module
 */
import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { kindOfAddress, type SecretStore, type ServerSettings, secretKey } from "@vitrine/servers";
import { messageOf } from "@vitrine/servers/support";
import {
  type FoundServers,
  GatewayError,
  type PendingServer,
  type ServerDraft,
  type SetupOutcome,
  type SetupRequests,
  type SetupState,
} from "@vitrine/wire";
import { editSettings } from "../config/edit-settings.js";
import { projectOf, type ReadOptions, readSettings } from "../config/read.js";
import { changeSettingsFile, settingsText } from "../config/write-settings.js";
import type { AuditLog } from "../store/store.js";
import { entryOf, type NewSecrets, ownSecrets, referenceTo } from "./drafts.js";
import { type FoundEntry, findServers, withStoredSecrets } from "./found-servers.js";
import { importFiles } from "./import-files.js";
import { isProgram, needsTerminal } from "./needs-terminal.js";
import { PendingChanges, type ProposedChange } from "./pending-changes.js";
import { entriesOf, entryIn, placeFor, versionOf, writtenServer } from "./settings-entries.js";
import type { SetupHost, WrittenEntry } from "./setup-host.js";
import { type SentValues, sentInDraft } from "./shown-entry.js";
import { startFolder, startingIn } from "./start-folder.js";
import { UsedServers } from "./used-servers.js";

/** Options of {@link ServerSetup}. */
export interface ServerSetupOptions {
  readonly host: SetupHost;
  readonly secrets: SecretStore;
  readonly audit: Pick<AuditLog, "begin" | "end">;
  /** The servers in force, of the file or from elsewhere. */
  servers(): ReadonlyMap<string, ServerSettings>;
  /** Called when the file or a pending change is different. */
  onchange(): void;
  onerror(error: unknown): void;
}

interface ReadingText extends Pick<ReadOptions, "file" | "onskip"> {
  readonly fresh?: NewSecrets;
}

type Params<M extends keyof SetupRequests> = SetupRequests[M]["params"];

/** Manages the settings file. Users who may not administer never reach it. */
export class ServerSetup {
  readonly #options: ServerSetupOptions;
  readonly #pending: PendingChanges;
  readonly #used = new UsedServers();
  #loading: Promise<void> = Promise.resolve();

  constructor(options: ServerSetupOptions) {
    this.#options = options;
    this.#pending = new PendingChanges({
      host: options.host,
      apply: (change) => this.#commit(change, "asked"),
      refused: (change) => this.#refused(change),
      dropped: (change) => void this.#forgetNew(change.secrets),
      onchange: () => options.onchange(),
      onerror: (error) => options.onerror(error),
    });
  }

  async state(): Promise<SetupState> {
    const { host } = this.#options;
    const text = await settingsText(host.file);
    const entries = entriesOf(text);
    const problems = await this.#problemsIn(text).catch(() => new Map<string, string>());
    const servers = entries.map(({ name, entry }) => {
      const problem = problems.get(name);
      return { ...writtenServer(name, entry), ...(problem !== undefined && { problem }) };
    });
    const { file, readOnly } = host;
    return { file, folder: startFolder(host), readOnly, servers, pending: this.#pending.list };
  }

  async add(user: string, { name, draft }: Params<"gateway/add-server">): Promise<SetupOutcome> {
    return this.#propose(user, name, "add", sentInDraft(draft), (before, secrets) => {
      this.#refuseKnown(name, before);
      return this.#starting(entryOf(name, draft, undefined, secrets));
    });
  }

  async change(
    user: string,
    { name, version, draft, disabled }: Params<"gateway/change-server">,
  ): Promise<SetupOutcome> {
    const kind = draft === undefined && disabled === false ? "enable" : "edit";
    return this.#propose(user, name, kind, sentInDraft(draft), (before, secrets) => {
      checkVersion(name, before, version);
      const entry = changedEntry(name, before ?? {}, { draft, disabled }, secrets);
      // A program that runs stays where it is.
      return isSameCommand(before, entry) ? entry : this.#starting(entry);
    });
  }

  async remove(user: string, { name, version }: Params<"gateway/remove-server">): Promise<void> {
    const { host } = this.#options;
    const before = entryIn(await settingsText(host.file), name)?.entry;
    checkVersion(name, before, version);
    const change = {
      user,
      name,
      change: "edit" as const,
      before,
      entry: undefined,
      secrets: new Map(),
      sent: {},
    };
    this.#pending.withdraw(name);
    await this.#commit(change, "page");
  }

  read(text: string): FoundServers {
    const { servers, problems } = findServers(text);
    return { servers: servers.map(({ entry: _, ...server }) => server), problems };
  }

  async candidates(): Promise<SetupRequests["gateway/import-candidates"]["result"]> {
    return { files: await importFiles(this.#options.host) };
  }

  /** Adds servers that a page has pasted, or seen in a file of another program. */
  async addFound(
    user: string,
    { text, file, names }: Params<"gateway/add-found">,
  ): Promise<SetupRequests["gateway/add-found"]["result"]> {
    const { servers } = findServers(text ?? (await this.#importText(file)));
    // Another program starts its servers in the folder of its file.
    const folder = text === undefined && file !== undefined ? projectOf(file) : undefined;
    const result: SetupRequests["gateway/add-found"]["result"] = { added: [], pending: [], failed: [] };
    for (const name of new Set(names)) {
      try {
        const server = servers.find((each) => each.name === name);
        const { pending } = await this.#addFound(user, name, server, folder);
        if (pending) result.pending.push(pending);
        else result.added.push(name);
      } catch (error) {
        result.failed.push({ name, message: messageOf(error) });
      }
    }
    return result;
  }

  dismiss(id: string): void {
    this.#pending.dismiss(id);
  }

  /** The gateway uses the current text of the file. */
  loaded(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#load()).catch(this.#options.onerror);
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { host, servers, onchange } = this.#options;
    const text = await settingsText(host.file).catch(() => "");
    if (!(await host.isApproved(text))) return;
    const entries = safeEntries(text);
    const read = await this.#read(text, { file: host.file }).catch(() => undefined);
    if (read) this.#used.learn(entries, read.servers, servers());
    for (const { name, entry } of entries) this.#pending.settled(name, versionOf(entry));
    onchange();
  }

  close(): void {
    this.#pending.close();
  }

  #importText(file: string | undefined): Promise<string> {
    const place = this.#options.host.importPlaces().find(({ path }) => path === file);
    // A page must not read other files.
    if (!place)
      throw new GatewayError("config-invalid", "this file is not in the list of files to import from");
    return settingsText(place.path);
  }

  #addFound(
    user: string,
    name: string,
    server: FoundEntry | undefined,
    folder: string | undefined,
  ): Promise<SetupOutcome> {
    if (!server) throw new GatewayError("settings-changed", `there is no server “${name}” in it any more`);
    if (server.problem !== undefined) throw new GatewayError("config-invalid", server.problem);
    // The page has not seen the values of a file.
    return this.#propose(user, name, "add", folder === undefined ? server.entry : {}, (before, secrets) => {
      this.#refuseKnown(name, before);
      return this.#starting(withStoredSecrets(name, server.entry, secrets), folder);
    });
  }

  /** The entry with the folder that its relative paths start in. */
  #starting(entry: WrittenEntry, folder = startFolder(this.#options.host)): WrittenEntry {
    return startingIn(folder, this.#options.host.file, entry);
  }

  /** Makes a change, or asks for it in the terminal. */
  async #propose(
    user: string,
    name: string,
    kind: ProposedChange["change"],
    sent: SentValues,
    make: (before: WrittenEntry | undefined, secrets: NewSecrets) => WrittenEntry,
  ): Promise<SetupOutcome> {
    const { host } = this.#options;
    if (host.readOnly !== undefined) throw new GatewayError("settings-unwritable", host.readOnly);
    const text = await settingsText(host.file);
    await this.#checkApproved(text);
    await this.#loading;
    const before = entryIn(text, name)?.entry;
    const secrets: NewSecrets = new Map();
    const entry = make(before, secrets);
    if (entry["disabled"] !== true || entry["url"] !== before?.["url"]) refuseForbidden(entry);
    await this.#validate(text, name, entry, secrets);
    const change: ProposedChange = { user, name, change: kind, before, entry, secrets, sent };
    const fresh = new Set([...secrets.keys()].map(referenceTo));
    const wasUsed = (each: WrittenEntry): boolean => this.#used.has(name, each);
    const isInForce = (url: string): boolean =>
      [...this.#options.servers().values()].some(
        ({ transport }) => "url" in transport && transport.url === url,
      );
    if (needsTerminal({ before, after: entry, fresh, wasUsed, isInForce }))
      return { pending: await this.#ask(change) };
    await this.#commit(change, "page");
    return {};
  }

  #refuseKnown(name: string, before: WrittenEntry | undefined): void {
    if (before || this.#options.servers().has(name))
      throw new GatewayError(
        "server-exists",
        `there is a server “${name}” already: choose another name, or edit it`,
      );
  }

  async #checkApproved(text: string): Promise<void> {
    const { host } = this.#options;
    if (await host.isApproved(text)) return;
    throw new GatewayError(
      "settings-changed",
      `${host.file} was changed and waits for your approval in the terminal that runs Vitrine`,
    );
  }

  /** @throws {GatewayError} `config-invalid` */
  async #validate(text: string, name: string, entry: WrittenEntry, secrets: NewSecrets): Promise<void> {
    const { disabled: _, ...used } = entry;
    const path = entryIn(text, name)?.path ?? placeFor(text, name);
    const problems = await this.#problemsIn(editSettings(text, [{ path, value: used }]), secrets);
    const problem = problems.get(name);
    if (problem !== undefined) throw new GatewayError("config-invalid", problem);
  }

  /** The problems of each server in a text. Other problems of the file are not the page's. */
  async #problemsIn(text: string, fresh: NewSecrets = new Map()): Promise<Map<string, string>> {
    const problems = new Map<string, string>();
    // Without the file: its lines are those of a text that nobody has seen.
    await this.#read(text, {
      fresh,
      onskip: ({ server, problem }) => {
        if (server === undefined) return;
        const sentence = problem.replace(/^line \d+: /, "");
        problems.set(server, [problems.get(server), sentence].filter(Boolean).join("\n"));
      },
    });
    return problems;
  }

  /** Reads a text as the gateway reads its file, with new secrets beside the stored ones. */
  #read(
    text: string,
    { fresh = new Map<string, string>(), file, onskip = () => {} }: ReadingText,
  ): ReturnType<typeof readSettings> {
    const { host, secrets } = this.#options;
    const get = async (key: string): Promise<string | undefined> => {
      const own = [...fresh].find(([name]) => secretKey(name) === key)?.[1];
      return own ?? secrets.get(key);
    };
    return readSettings(text.trim() === "" ? "{}" : text, {
      ...host.reading,
      ...(file !== undefined && { file }),
      secrets: async () => ({ get }),
      onskip,
    });
  }

  async #commit(change: ProposedChange, reason: "page" | "asked"): Promise<void> {
    const { host, secrets, audit } = this.#options;
    const { user, name, before, entry } = change;
    const start = performance.now();
    if (host.readOnly !== undefined) throw new GatewayError("settings-unwritable", host.readOnly);
    const seq = await audit.begin({ ...auditOf(change), user, decision: "allowed", reason });
    const end = (outcome: "ok" | "failed", code?: string): void =>
      audit.end(seq, { outcome, code, duration: performance.now() - start });
    try {
      for (const [secret, value] of change.secrets) await secrets.set(secretKey(secret), value);
      const text = await changeSettingsFile(host.file, async (now) => {
        await this.#checkApproved(now);
        const found = entryIn(now, name);
        if (versionOf(found?.entry) !== versionOf(before)) throw changedMeanwhile(name);
        return [{ path: found?.path ?? placeFor(now, name), value: entry }];
      });
      end("ok");
      await host.written(text, name, reason === "asked" || change.change === "add");
      await this.#forget(ownSecrets(name, before), text);
      this.#options.onchange();
    } catch (error) {
      end("failed", error instanceof GatewayError ? error.data.code : undefined);
      await this.#forgetNew(change.secrets);
      throw error;
    }
  }

  /** Stores the secrets first: the command line that makes the same change refers to them. */
  async #ask(change: ProposedChange): Promise<PendingServer> {
    const { secrets } = this.#options;
    for (const [secret, value] of change.secrets) await secrets.set(secretKey(secret), value);
    try {
      return this.#pending.add(change);
    } catch (error) {
      await this.#forgetNew(change.secrets);
      throw error;
    }
  }

  /** Deletes the secrets of a change that was not made. */
  async #forgetNew(added: NewSecrets): Promise<void> {
    const text = await settingsText(this.#options.host.file).catch(() => undefined);
    if (text !== undefined) await this.#forget([...added.keys()], text);
  }

  /** Deletes secrets that the file does not refer to any more. */
  async #forget(names: readonly string[], text: string): Promise<void> {
    const { secrets, onerror } = this.#options;
    for (const name of names)
      if (!text.includes(referenceTo(name))) await secrets.delete(secretKey(name)).catch(onerror);
  }

  #refused(change: ProposedChange): void {
    const { audit, onerror } = this.#options;
    audit
      .begin({ ...auditOf(change), user: change.user, decision: "refused", reason: "declined" })
      .catch((error: unknown) => onerror(error));
  }
}

/** Addresses that no server may have: link-local ones, where clouds keep their credentials, and the like. */
function refuseForbidden({ url }: WrittenEntry): void {
  if (typeof url !== "string" || !URL.canParse(url)) return;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) > 0 && kindOfAddress(host) === "forbidden")
    throw new GatewayError(
      "config-invalid",
      `${host} is reserved for the network itself, and is never used for servers`,
    );
}

function safeEntries(text: string): ReturnType<typeof entriesOf> {
  try {
    return entriesOf(text);
  } catch {
    return [];
  }
}

/** Applies a draft, a switch, or both. */
function changedEntry(
  name: string,
  before: WrittenEntry,
  { draft, disabled }: { draft?: ServerDraft | undefined; disabled?: boolean | undefined },
  secrets: NewSecrets,
): WrittenEntry {
  const entry: Record<string, unknown> = draft ? { ...entryOf(name, draft, before, secrets) } : { ...before };
  if (disabled === true) entry["disabled"] = true;
  if (disabled === false) delete entry["disabled"];
  return entry;
}

const isSameCommand = (before: WrittenEntry | undefined, { command, args, cwd }: WrittenEntry): boolean =>
  isDeepStrictEqual(
    [before?.["command"], before?.["args"] ?? [], before?.["cwd"]],
    [command, args ?? [], cwd],
  );

function checkVersion(name: string, before: WrittenEntry | undefined, version: string): void {
  if (!before) throw new GatewayError("server-unknown", `the settings file has no server “${name}”`);
  if (versionOf(before) !== version) throw changedMeanwhile(name);
}

const changedMeanwhile = (name: string): GatewayError =>
  new GatewayError(
    "settings-changed",
    `“${name}” was changed in the settings file meanwhile: look at it again, and repeat the change`,
  );

/** Names and addresses only: arguments and values may be secrets. */
function auditOf({ name, change, entry, before }: ProposedChange) {
  const { command, url } = entry ?? before ?? {};
  const target = isProgram(entry ?? before ?? {}) ? String(command) : originOf(String(url));
  const method = entry === undefined ? "remove-server" : change === "add" ? "add-server" : "change-server";
  return { actor: "host" as const, server: name, method: `gateway/${method}`, target: target.slice(0, 500) };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");
