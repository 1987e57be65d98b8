/**
 * The stored credentials of a user at a server.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { SecretStore, SharedSecretStore } from "../secrets/secrets.js";
import { identityOf } from "../server-identity.js";
import type { OAuthCredentials } from "./flow.js";

/** Attempts to write while other processes change the same credentials. */
const ATTEMPTS = 20;

/** Options of {@link StoredCredentials}. */
export interface StoredCredentialsOptions {
  readonly user: string;
  readonly server: string;
  readonly url: string;
  readonly secrets: SecretStore;
  /** The same secrets, if other processes change them too. */
  readonly shared: SharedSecretStore | undefined;
}

/** The credentials, with a copy in memory. */
export class StoredCredentials {
  /** Identifies them among the secrets. */
  readonly key: string;
  /** Used before identities were introduced. */
  readonly #oldKey: string;
  readonly #options: StoredCredentialsOptions;
  #loaded: Promise<OAuthCredentials> | undefined;
  /** The version of the copy in memory; undefined if there are no stored ones. */
  #version: number | undefined;

  constructor(options: StoredCredentialsOptions) {
    const { user, server, url } = options;
    this.#options = options;
    this.#oldKey = `oauth/${user}/${server}`;
    this.key = `${this.#oldKey}/${identityOf({ url })}`;
  }

  load(): Promise<OAuthCredentials> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  /** Forgets the copy in memory: another process may have changed the credentials. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** Whether there are tokens that another process has stored since. */
  async hasNewer({ tokens: before }: OAuthCredentials): Promise<boolean> {
    this.forget();
    const { tokens } = await this.load();
    return tokens !== undefined && tokens.access_token !== before?.access_token;
  }

  /**
   * Changes the credentials as they were loaded.
   *
   * @throws {GatewayError} `server-unauthorized` if another process has changed them since
   */
  async save(change: Partial<OAuthCredentials>): Promise<void> {
    const { shared, secrets, server } = this.#options;
    const loaded = await this.load();
    if (!shared) return secrets.set(this.key, JSON.stringify(Object.assign(loaded, change)));
    const isSaved = await shared.replace(this.key, JSON.stringify({ ...loaded, ...change }), this.#version);
    this.forget();
    if (!isSaved)
      throw new GatewayError(
        "server-unauthorized",
        `${server}: its sign-in was changed by another node meanwhile: try again`,
      );
    await this.load();
  }

  /** Changes the credentials, whatever other processes have changed since. */
  async overwrite(change: Partial<OAuthCredentials>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.save(change);
      } catch (error) {
        const isChanged = error instanceof GatewayError && error.data.code === "server-unauthorized";
        if (!isChanged || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async delete(): Promise<void> {
    const { secrets, url } = this.#options;
    this.#loaded = this.#options.shared ? undefined : Promise.resolve({ url });
    await secrets.delete(this.key);
    if (await this.#readOf(this.#oldKey)) await secrets.delete(this.#oldKey);
  }

  async #read(): Promise<OAuthCredentials> {
    const { url } = this.#options;
    return (await this.#readOf(this.key)) ?? (await this.#readOf(this.#oldKey)) ?? { url };
  }

  /** The data stored under a key, if it belongs to exactly this URL: a token is never sent to another one. */
  async #readOf(key: string): Promise<OAuthCredentials | undefined> {
    const { secrets, shared, url } = this.#options;
    const found = shared ? await shared.read(key) : undefined;
    if (key === this.key) this.#version = found?.version;
    const text = shared ? found?.value : await secrets.get(key);
    const saved: OAuthCredentials | undefined = text === undefined ? undefined : JSON.parse(text);
    return saved?.url === url ? saved : undefined;
  }
}
