/**
 * Stores secrets in a file, encrypted with AES-256-GCM.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import { readPrivate, refused, writePrivate } from "../support/private-file.js";
import { keyIdOf } from "./master-key.js";
import type { SecretStore } from "./secrets.js";

interface Sealed {
  keyId: string;
  nonce: string;
  tag: string;
  data: string;
}

/** Authenticated by the tag, so that a file cannot pass for another format version. */
const HEADER = "vitrine secrets 1";

function seal(key: Buffer, secrets: ReadonlyMap<string, string>): string {
  // Random for each write: a repeated nonce would reveal both texts.
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(HEADER));
  const data = Buffer.concat([cipher.update(JSON.stringify([...secrets]), "utf8"), cipher.final()]);
  const sealed: Sealed = {
    keyId: keyIdOf(key),
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    data: data.toString("base64"),
  };
  return `${HEADER}\n${JSON.stringify(sealed)}\n`;
}

function parse(path: string, text: string): Sealed {
  const [header, line = ""] = text.split("\n");
  try {
    const { keyId, nonce, tag, data }: Partial<Sealed> = JSON.parse(line);
    if (header === HEADER && keyId && nonce && tag && data) return { keyId, nonce, tag, data };
  } catch (cause) {
    throw damaged(path, cause);
  }
  throw damaged(path);
}

const damaged = (path: string, cause?: unknown) =>
  refused(
    path,
    "is damaged. Restore a copy of it; or move it away, then sign in and store your secrets again",
    cause,
  );

function unseal(path: string, key: Buffer, { nonce, tag, data }: Sealed): Map<string, string> {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"), { authTagLength: 16 })
      .setAAD(Buffer.from(HEADER))
      .setAuthTag(Buffer.from(tag, "base64"));
    const text = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString();
    return new Map(JSON.parse(text));
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/** The secrets file in a folder. */
export function encryptedFile(folder: string) {
  const path = join(folder, "secrets");
  const read = async () => {
    const text = await readPrivate(path);
    return text === undefined ? undefined : parse(path, text);
  };
  return {
    /** The id of its key; undefined if there is no file yet. */
    keyId: async (): Promise<string | undefined> => (await read())?.keyId,
    async open(key: Buffer): Promise<SecretStore> {
      const load = async () => {
        const sealed = await read();
        if (sealed && sealed.keyId !== keyIdOf(key))
          throw refused(path, "was encrypted with another key meanwhile");
        return sealed ? unseal(path, key, sealed) : new Map<string, string>();
      };
      // Changes run one after the other, so that each reads the result of the previous one.
      let last: Promise<unknown> = Promise.resolve();
      const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
        const mine = last.then(run);
        last = mine.catch(() => {});
        return mine;
      };
      // Fails early if the file cannot be read.
      await load();
      return {
        get: (name) => inTurn(async () => (await load()).get(name)),
        set: (name, value) =>
          inTurn(async () => {
            await writePrivate(path, seal(key, (await load()).set(name, value)));
          }),
        delete: (name) =>
          inTurn(async () => {
            const secrets = await load();
            if (!secrets.delete(name)) return false;
            await writePrivate(path, seal(key, secrets));
            return true;
          }),
      };
    },
  };
}
