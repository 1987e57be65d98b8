/**
 * Stores secrets: tokens of servers that users signed in to, and values that settings refer to.
 *
 * @module
 */
import { encryptedFile } from "./encrypted-file.js";
import { findKey, type KeyOptions } from "./master-key.js";

/** Secrets by key. A change is on disk when its promise resolves. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  /** Resolves to whether the secret existed. */
  delete(key: string): Promise<boolean>;
}

/** Secrets that several processes change. */
export interface SharedSecretStore extends SecretStore {
  /** A secret, and the version that {@link replace} expects. */
  read(key: string): Promise<{ readonly value: string; readonly version: number } | undefined>;
  /**
   * Changes a secret only if nobody else has changed it since: `version` is that of {@link read}, or undefined if there
   * was none. Without a value, it deletes the secret. Resolves to whether it was changed.
   */
  replace(key: string, value: string | undefined, version: number | undefined): Promise<boolean>;
}

/** The key of a secret that settings refer to as `${secret:NAME}`. */
export const secretKey = (name: string): string => `settings/${name}`;

/** Options of {@link openSecrets}. */
export interface SecretsOptions extends Omit<KeyOptions, "folder"> {
  /** The gateway's own folder; created if it does not exist. */
  folder: string;
}

/**
 * Opens the secrets in a folder: one encrypted file. Its key comes from `VITRINE_KEY` in the environment,
 * from the operating system's keyring if that works, or from a file beside it that only this user can read.
 *
 * The secrets themselves are not stored in the keyring: its tools accept a few kilobytes at most, and start a
 * process for each of them.
 *
 * @throws {GatewayError} `config-invalid` if the file or its key is unusable; nothing is overwritten then
 * @example
 * ```ts source="./secrets.examples.ts#openSecrets"
 * const secrets = await openSecrets({ folder, keyring: "none" });
 * await secrets.set("settings/WEATHER_KEY", "s3cret");
 * const key = await secrets.get("settings/WEATHER_KEY");
 * ```
 */
export async function openSecrets(options: SecretsOptions): Promise<SecretStore> {
  const file = encryptedFile(options.folder);
  const key = await findKey({ ...options, wanted: await file.keyId() });
  return file.open(key);
}
