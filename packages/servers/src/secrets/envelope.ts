/**
 * Encrypts secrets one by one: each with its own random data key, which a master key encrypts in turn. A new
 * master key then needs new wraps of small keys only.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, randomBytes, randomInt } from "node:crypto";
import type { MasterKey } from "./master-keys.js";

/** An encrypted secret. */
export interface SealedSecret {
  /** Random for each write, so that a version never comes back. */
  readonly version: number;
  /** The id of the master key. */
  readonly keyId: string;
  /** The data key, encrypted with the master key. */
  readonly wrapped: string;
  /** The secret, encrypted with the data key. */
  readonly data: string;
}

/** Why a secret cannot be read: no key with its id, or other bytes than were written. */
export class UnreadableSecret extends Error {
  readonly reason: "key" | "damaged";

  constructor(reason: UnreadableSecret["reason"], options?: ErrorOptions) {
    super(reason === "key" ? "its master key is not available" : "it is damaged", options);
    this.reason = reason;
  }
}

const NONCE = 12;
const TAG = 16;

/** Encrypts a secret. Its name is authenticated, so that it cannot be read under another one. */
export function sealSecret(master: MasterKey, name: string, value: string): SealedSecret {
  const version = randomInt(1, 2 ** 47);
  const key = randomBytes(32);
  return {
    version,
    keyId: master.id,
    wrapped: encrypt(master.key, keyHeader(master.id, name, version), key),
    data: encrypt(key, dataHeader(name, version), Buffer.from(value, "utf8")),
  };
}

/**
 * Decrypts a secret.
 *
 * @throws {UnreadableSecret}
 */
export function openSecret(masters: readonly MasterKey[], name: string, sealed: SealedSecret): string {
  const key = unwrap(masters, name, sealed);
  return decrypt(key, dataHeader(name, sealed.version), sealed.data).toString("utf8");
}

/**
 * Encrypts the data key with another master key. The secret itself is only read, to make sure that it can be.
 *
 * @throws {UnreadableSecret}
 */
export function rewrapSecret(
  masters: readonly MasterKey[],
  to: MasterKey,
  name: string,
  sealed: SealedSecret,
): SealedSecret {
  openSecret(masters, name, sealed);
  const key = unwrap(masters, name, sealed);
  return { ...sealed, keyId: to.id, wrapped: encrypt(to.key, keyHeader(to.id, name, sealed.version), key) };
}

function unwrap(masters: readonly MasterKey[], name: string, sealed: SealedSecret): Buffer {
  const { keyId, version, wrapped } = sealed;
  const master = masters.find(({ id }) => id === keyId);
  if (!master) throw new UnreadableSecret("key");
  return decrypt(master.key, keyHeader(keyId, name, version), wrapped);
}

/** Authenticated by the tags: neither part of a secret can be moved to another name, version or key. */
const keyHeader = (keyId: string, name: string, version: number): string =>
  JSON.stringify(["vitrine data key 1", keyId, name, version]);
const dataHeader = (name: string, version: number): string =>
  JSON.stringify(["vitrine secret 1", name, version]);

function encrypt(key: Buffer, header: string, plain: Buffer): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(header));
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), data]).toString("base64");
}

function decrypt(key: Buffer, header: string, text: string): Buffer {
  try {
    const bytes = Buffer.from(text, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE), { authTagLength: TAG })
      .setAAD(Buffer.from(header))
      .setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]);
  } catch (cause) {
    throw new UnreadableSecret("damaged", { cause });
  }
}
