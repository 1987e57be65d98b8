/**
 * Where secrets are kept: tokens of servers that people signed in to, and what settings refer to.
 *
 * @module
 */
import { encryptedFile } from "./encrypted-file.js";
import { findKey, type KeyOptions } from "./master-key.js";

/** Secrets by key. What was set is on disk when the promise resolves. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  /** Whether there was one. */
  delete(key: string): Promise<boolean>;
}

/** The key of a secret that settings refer to as `${secret:NAME}`. */
export const secretKey = (name: string): string => `settings/${name}`;

/** Options of {@link openSecrets}. */
export interface SecretsOptions extends Omit<KeyOptions, "folder"> {
  /** The gateway's own folder; made if it is not there. */
  folder: string;
}

/**
 * Opens the secrets in a folder: one encrypted file. Its key is `VITRINE_KEY` of the environment, or is kept in the
 * keyring of the operating system where that works, or else in a file beside it that only this user can read.
 *
 * Secrets themselves are not put into the keyring: the tools for it take a few kilobytes at most, and start a process
 * for each of them.
 *
 * @throws {GatewayError} `config-invalid` if the file or its key cannot be used; nothing is overwritten then
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
