/**
 * Lets administrators set up models in a page: providers, keys, lists, local servers, and a test message.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import {
  type DetectionOptions,
  detectLocalServers,
  isModelServer,
  ModelError,
  type ModelProviderSettings,
  type Models,
  testModel,
} from "@vitrine/conversation";
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";
import { isLoopbackHost, type SecretStore, secretKey } from "@vitrine/servers";
import {
  GatewayError,
  type LocalModelServer,
  MODEL_INPUT_LIMITS,
  type ModelProviders,
  type ModelRequests,
  type ModelSummary,
  type ModelTest,
  type NewModelProvider,
} from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import type { SettingsChange } from "../config/edit-settings.js";
import { readSettings } from "../config/read.js";
import { changeSettingsFile, settingsText } from "../config/write-settings.js";
import type { SetupHost } from "../setup/setup-host.js";
import type { AuditLog } from "../store/store.js";
import { providerUrl } from "./provider-address.js";
import {
  providerIn,
  referenceTo,
  savedProvider,
  typeOf,
  withoutKey,
  withoutProvider,
  writtenModels,
} from "./provider-changes.js";

/** The settings file that changes go to. */
type SettingsHost = Pick<SetupHost, "file" | "readOnly" | "reading" | "isApproved" | "written">;

/** Options of {@link ModelSetup}. */
export interface ModelSetupOptions {
  readonly models: Models;
  readonly secrets: SecretStore;
  readonly audit: Pick<AuditLog, "mark">;
  /** The file that changes go to; without it, nothing can be changed. */
  readonly host?: SettingsHost | undefined;
  /** Whether the user may administer the gateway. */
  mayAdminister(user: string): boolean;
  readonly detection?: DetectionOptions | undefined;
}

/** Names of providers. They are the first part of a model's id. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** Characters that are valid in a header. */
const KEY = /^[\x21-\x7e]+$/;

const NOT_ADMIN = "only a user who administers the gateway can set up models: ask one of them";
const NO_FILE = "this gateway was started without a settings file that pages may change";

/** Sets up models for users who may administer the gateway. Nothing that it returns, writes or logs contains a key. */
export class ModelSetup {
  readonly #options: ModelSetupOptions;
  /** Addresses of model servers that the gateway has found itself. */
  readonly #detected = new Set<string>();
  readonly #testing = new Set<string>();
  #detecting: Promise<LocalModelServer[]> | undefined;

  constructor(options: ModelSetupOptions) {
    this.#options = options;
  }

  /** The providers, for users who may change them. Others learn why they cannot. */
  providers(user: string): ModelProviders {
    if (!this.#options.mayAdminister(user)) return { providers: [], locked: NOT_ADMIN };
    const { models, host } = this.#options;
    const locked = host ? host.readOnly : NO_FILE;
    const providers = models.providers.map(({ name, type, url, key, keyFrom, isWritten, problem }) => ({
      name,
      type,
      url,
      key: key === undefined ? ("none" as const) : (keyFrom ?? "environment"),
      isWritten: isWritten === true,
      ...(problem !== undefined && { problem }),
    }));
    return { providers, ...(locked !== undefined && { locked }) };
  }

  /**
   * Adds a provider, or changes it. Resolves when its models can be used.
   *
   * @throws {GatewayError} `admin-required`, `settings-unwritable`, `settings-changed`, `config-invalid`
   * @throws {VitrineError} `INVALID_PARAMS`
   */
  async save(user: string, provider: NewModelProvider): Promise<ModelProviders> {
    const host = this.#writable(user);
    const { models } = this.#options;
    const { name, type, url } = provider;
    if (!NAME.test(name))
      throw wrong(
        "name",
        "a name has 1 to 32 lower-case letters, digits, _ and -, and begins with a letter or digit",
      );
    const key = keyOf(provider.key);
    if (type !== "compatible" && url !== undefined)
      throw wrong("url", `${type} has its own address; leave it empty`);
    const isServer = async (at: string): Promise<boolean> => this.#detected.has(at) || isModelServer(at);
    const found = this.#find(name);
    const isKnown = found?.isWritten === true && found.type === type;
    if (type === "compatible" && isKnown && key !== undefined && url === undefined) throw moved();
    // The address that the file has already is the user's, also in a private network.
    const isKept = url === undefined || (isKnown && url === found.url);
    const address = isKept ? undefined : await providerUrl(url, isServer);
    const before = this.#secretOf(name);
    const isNew = found === undefined;
    const secret = key === undefined ? undefined : `model-${name}-${randomBytes(6).toString("hex")}`;
    const fromEnvironment = models.providers.filter((each) => !each.isWritten).map((each) => each.name);
    const made = (current: string): SettingsChange[] => {
      const written = providerIn(writtenModels(current).providers, name);
      const hasType = written !== undefined && typeOf(name, written) === type;
      if (type === "compatible" && !address && !hasType)
        throw isKnown ? moved() : wrong("url", "enter the address of the model server");
      return savedProvider(current, { provider, address, secret, fromEnvironment });
    };
    const text = await this.#keeping(secret, key, () =>
      this.#change(host, made, ({ model }) => {
        // A key goes only to the address that its user has seen.
        if (url !== undefined && model.providers.get(name)?.url !== (address?.url ?? url)) throw moved();
      }),
    );
    await host.written(text, `model.providers.${name}`, false);
    await this.#forgetUnused(before);
    await this.#record(user, name, isNew ? "added" : secret === undefined ? "changed" : "key replaced");
    return this.providers(user);
  }

  /**
   * Removes the key of a provider from the store, or the whole provider with its key.
   *
   * @throws {GatewayError} `admin-required`, `settings-unwritable`, `config-invalid`
   */
  async forget(
    user: string,
    { name, what }: ModelRequests["model/forget"]["params"],
  ): Promise<ModelProviders> {
    const host = this.#writable(user);
    const found = this.#find(name);
    if (!found?.isWritten) throw wrong("name", "the settings file has no provider of this name");
    const secret = this.#secretOf(name);
    const text = await this.#change(host, (current) =>
      what === "key" ? withoutKey(name) : withoutProvider(current, name),
    );
    await host.written(text, `model.providers.${name}`, false);
    await this.#forgetUnused(secret);
    await this.#record(user, name, what === "key" ? "key removed" : "removed");
    return this.providers(user);
  }

  /**
   * The models of a provider, from its API.
   *
   * @throws {GatewayError} `admin-required`
   * @throws {ModelError}
   */
  async list(user: string, name: string): Promise<ModelSummary[]> {
    this.#admin(user);
    const { models } = this.#options;
    const url = this.#find(name)?.url;
    const isHere = url !== undefined && isLoopbackHost(new URL(url).hostname);
    const local = isHere ? (await this.#detect()).find((server) => sameServer(server.url, url)) : undefined;
    const facts = local?.models.map(({ name: each, ...more }) => [each, more] as const);
    return models.listOf(name, new Map(facts));
  }

  /** Model servers on the usual ports of this machine. @throws {GatewayError} `admin-required` */
  async detect(user: string): Promise<LocalModelServer[]> {
    this.#admin(user);
    const found = await this.#detect();
    const { providers } = this.#options.models;
    return found.map((server) => {
      const provider = providers.find(({ url }) => sameServer(server.url, url))?.name;
      return { ...server, ...(provider !== undefined && { provider }) };
    });
  }

  /**
   * Sends a test message. A failure of the model is part of the outcome.
   *
   * @throws {GatewayError} `admin-required`; `overloaded` while a test of this user is running
   * @throws {ModelError} `model-unknown`
   */
  async test(user: string, id: string): Promise<ModelTest> {
    this.#admin(user);
    const model = id.length <= MODEL_INPUT_LIMITS.model ? this.#options.models.find(id) : undefined;
    if (!model)
      throw new ModelError("model-unknown", "this model cannot be used; choose another from the list");
    if (this.#testing.has(user))
      throw new GatewayError("overloaded", "a test message is on its way; wait for its answer");
    this.#testing.add(user);
    try {
      return await testModel(model);
    } finally {
      this.#testing.delete(user);
    }
  }

  /** Pages that ask at the same time share the answer. */
  #detect(): Promise<LocalModelServer[]> {
    this.#detecting ??= detectLocalServers(this.#options.detection).finally(() => {
      this.#detecting = undefined;
    });
    return this.#detecting.then((found) => {
      for (const { url } of found) this.#detected.add(url);
      return found;
    });
  }

  #admin(user: string): void {
    if (!this.#options.mayAdminister(user)) throw new GatewayError("admin-required", NOT_ADMIN);
  }

  #writable(user: string): SettingsHost {
    this.#admin(user);
    const { host } = this.#options;
    const problem = host ? host.readOnly : NO_FILE;
    if (!host || problem !== undefined) throw new GatewayError("settings-unwritable", problem ?? NO_FILE);
    return host;
  }

  #find(name: string): ModelProviderSettings | undefined {
    return this.#options.models.providers.find((each) => each.name === name);
  }

  /** The secret of a provider's key, if this class has named it: others may have other uses. */
  #secretOf(name: string): string | undefined {
    const secret = this.#find(name)?.secret;
    return secret !== undefined && /^model-.+-[0-9a-f]{12}$/.test(secret) ? secret : undefined;
  }

  #change(
    host: SettingsHost,
    changes: (text: string) => readonly SettingsChange[],
    check?: (settings: GatewaySettings) => void,
  ): Promise<string> {
    const made = async (text: string): Promise<readonly SettingsChange[]> => {
      if (text === "" || (await host.isApproved(text))) return changes(text);
      const message =
        "the settings file was changed by somebody else, and waits for approval in the terminal; approve it, and try again";
      throw new GatewayError("settings-unwritable", message);
    };
    return changeSettingsFile(host.file, made, async (text) => {
      // As the gateway will read it. Servers with problems are not this page's.
      const secrets = async (): Promise<SecretStore> => this.#options.secrets;
      const settings = await readSettings(text, { ...host.reading, secrets, onskip: () => {} });
      check?.(settings);
    });
  }

  /** Stores the key before the file refers to it, and removes it again if the file was not changed. */
  async #keeping(
    secret: string | undefined,
    key: string | undefined,
    change: () => Promise<string>,
  ): Promise<string> {
    const { secrets } = this.#options;
    if (secret !== undefined && key !== undefined) await secrets.set(secretKey(secret), key);
    try {
      return await change();
    } catch (error) {
      if (secret !== undefined) await secrets.delete(secretKey(secret));
      throw error;
    }
  }

  /** Deletes a secret that no setting refers to any more. */
  async #forgetUnused(secret: string | undefined): Promise<void> {
    const { secrets, host } = this.#options;
    if (secret === undefined || !host) return;
    const isUsed = (await settingsText(host.file)).includes(referenceTo(secret));
    if (!isUsed) await secrets.delete(secretKey(secret));
  }

  async #record(user: string, target: string, reason: string): Promise<void> {
    await this.#options.audit.mark({ user, method: "model/providers", target, reason });
  }
}

const wrong = (field: string, message: string): VitrineError =>
  new VitrineError(INVALID_PARAMS, message, { data: { field: `params.${field}` } });

const moved = (): GatewayError =>
  new GatewayError(
    "settings-changed",
    "the address of this provider is another one now: look again, and enter the key again",
  );

/** A key without the whitespace that copying adds. */
function keyOf(written: string | undefined): string | undefined {
  const key = written?.trim();
  if (!key) return undefined;
  if (key.length > MODEL_INPUT_LIMITS.key || !KEY.test(key))
    throw wrong("key", "this is not a key; copy it again, without spaces or line breaks");
  return key;
}

/** Whether two addresses are the same port of this machine. */
function sameServer(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  return a.port === b.port && isLoopbackHost(a.hostname) && isLoopbackHost(b.hostname);
}
