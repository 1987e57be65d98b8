/**
 * The key of the file of secrets, and where it is kept.
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
  /** Where `VITRINE_KEY` may be: 32 bytes in base64url or hexadecimal digits. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** `auto` uses the keyring of the operating system if it works; `none` does not try. */
  keyring?: "auto" | "none" | Keyring | undefined;
  /** Hears where the key is kept. */
  onkey?: ((place: "environment" | "keyring" | "file") => void) | undefined;
}

/** Says which key it is, and nothing about it. */
export const keyIdOf = (key: Buffer): string =>
  createHash("sha256").update("vitrine key id ").update(key).digest("hex").slice(0, 16);

function parseKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, "hex")
    : /^[\w-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, "base64url")
      : undefined;
  return key?.length === 32 ? key : undefined;
}

/** Finds the key that is wanted, or makes one if there is no file yet. */
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
      throw refused(secrets, "was not closed with VITRINE_KEY; give the key that it was made with");
    onkey?.("environment");
    return key;
  }

  const written = await readPrivate(path);
  if (written !== undefined) {
    const key = parseKey(written);
    if (!key) throw refused(path, "is damaged. Put a copy of it back; without it the secrets cannot be read");
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
  // Never a new key for a file that exists: that would be to empty it.
  if (wanted !== undefined)
    throw refused(
      secrets,
      `its key is not there (VITRINE_KEY, the keyring, ${path}). Unlock the keyring or put the key back; or move the file away, and sign in and store your secrets again`,
    );

  const key = randomBytes(32);
  if (keyring && kept === undefined) {
    await keyring.set(name, key.toString("base64url"));
    onkey?.("keyring");
    return key;
  }
  // Another process may have made one at the same time: then that one counts.
  if (!(await writePrivate(path, `${key.toString("base64url")}\n`, true))) return findKey(options);
  onkey?.("file");
  return key;
}

async function working(keyring: "auto" | Keyring): Promise<Keyring | undefined> {
  return keyring === "auto" ? osKeyring() : keyring;
}
