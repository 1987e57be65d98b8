/**
 * Finds or creates the key of the secrets file.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { readPrivate, refused, writePrivate } from "../support/private-file.js";
import { type Keyring, osKeyring } from "./keyring.js";

/** Options of {@link findKey}. */
export interface KeyOptions {
  folder: string;
  /** May contain `VITRINE_KEY`: 32 bytes in base64url or hexadecimal digits. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** `auto` uses the keyring of the operating system if it works; `none` does not try. */
  keyring?: "auto" | "none" | Keyring | undefined;
  /** Called with the location of the key. */
  onkey?: ((location: "environment" | "keyring" | "file") => void) | undefined;
}

/** Identifies a key without revealing anything about it. */
export const keyIdOf = (key: Buffer): string =>
  createHash("sha256").update("vitrine key id ").update(key).digest("hex").slice(0, 16);

export function parseKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, "hex")
    : /^[\w-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, "base64url")
      : undefined;
  return key?.length === 32 ? key : undefined;
}

/** Finds the wanted key, or creates one if there is no file yet. */
export async function findKey(options: KeyOptions & { wanted: string | undefined }): Promise<Buffer> {
  const { folder, env = process.env, wanted, onkey } = options;
  const path = join(folder, "secrets.key");
  const secrets = join(folder, "secrets");
  const fits = (key: Buffer) => wanted === undefined || keyIdOf(key) === wanted;

  const given = env["VITRINE_KEY"];
  if (given !== undefined) {
    const key = parseKey(given);
    if (!key) throw refused("VITRINE_KEY", "must be 32 random bytes, as 64 hexadecimal digits or base64url");
    if (!fits(key))
      throw refused(secrets, "was encrypted with another key than VITRINE_KEY; set VITRINE_KEY to that key");
    onkey?.("environment");
    return key;
  }

  const written = await readPrivate(path);
  if (written !== undefined) {
    const key = parseKey(written);
    if (!key) throw refused(path, "is damaged. Restore a copy of it; the secrets cannot be read without it");
    if (fits(key)) {
      onkey?.("file");
      return key;
    }
  }

  const keyring = options.keyring === "none" ? undefined : await working(options.keyring ?? "auto");
  const name = `key ${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 16)}`;
  const kept = await keyring?.get(name);
  const fromKeyring = kept === undefined ? undefined : parseKey(kept);
  if (fromKeyring && fits(fromKeyring)) {
    onkey?.("keyring");
    return fromKeyring;
  }
  // Never create a new key for an existing file: that would discard its contents.
  if (wanted !== undefined)
    throw refused(
      secrets,
      `its key was not found (VITRINE_KEY, the keyring, ${path}). Unlock the keyring or restore the key; or move the file away, then sign in and store your secrets again`,
    );

  const key = randomBytes(32);
  if (keyring && kept === undefined) {
    await keyring.set(name, key.toString("base64url"));
    onkey?.("keyring");
    return key;
  }
  // Another process may have created a key at the same time, which then takes precedence.
  if (!(await writePrivate(path, `${key.toString("base64url")}\n`, true))) return findKey(options);
  onkey?.("file");
  return key;
}

async function working(keyring: "auto" | Keyring): Promise<Keyring | undefined> {
  return keyring === "auto" ? osKeyring() : keyring;
}
