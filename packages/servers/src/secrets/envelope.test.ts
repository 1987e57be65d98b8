import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSecret, rewrapSecret, type SealedSecret, sealSecret } from "./envelope.js";
import { keyIdOf } from "./master-key.js";
import { createMasterKey, type MasterKey, readMasterKeys } from "./master-keys.js";

const makeKey = (): MasterKey => {
  const key = randomBytes(32);
  return { id: keyIdOf(key), key };
};
const [first, second] = [makeKey(), makeKey()];

describe("a sealed secret", () => {
  it("opens with its master key and name only", () => {
    const sealed = sealSecret(first, "mail", "é\0😀 plainly-secret");
    expect(openSecret([second, first], "mail", sealed)).toBe("é\0😀 plainly-secret");
    expect(() => openSecret([second], "mail", sealed)).toThrow("master key is not available");
    expect(() => openSecret([first], "calendar", sealed)).toThrow("damaged");
    // Another key under the same id.
    expect(() => openSecret([{ id: first.id, key: second.key }], "mail", sealed)).toThrow("damaged");
    expect(JSON.stringify(sealed)).not.toMatch(/plainly|secret/);
  });

  it("never has the same key, nonce or version twice", () => {
    const all = Array.from({ length: 20 }, () => sealSecret(first, "mail", "the same"));
    for (const field of ["version", "wrapped", "data"] as const)
      expect(new Set(all.map((each) => each[field])).size).toBe(20);
  });

  it("is refused with a changed part, or with a part of another one", () => {
    const sealed = sealSecret(first, "mail", "value");
    const other = sealSecret(first, "mail", "older value");
    const changed: SealedSecret[] = [
      { ...sealed, version: other.version },
      { ...sealed, data: other.data },
      { ...sealed, wrapped: other.wrapped },
      { ...sealed, version: other.version, data: other.data },
      { ...sealed, data: "" },
      { ...sealed, wrapped: "AAAA" },
      { ...sealed, data: `${sealed.data.slice(0, -6)}AAAAA=` },
    ];
    for (const each of changed) expect(() => openSecret([first], "mail", each)).toThrow("damaged");
  });

  it("gets another master key without new data", () => {
    const sealed = sealSecret(first, "mail", "value");
    const next = rewrapSecret([first, second], second, "mail", sealed);
    expect(next).toMatchObject({ keyId: second.id, version: sealed.version, data: sealed.data });
    expect(openSecret([second], "mail", next)).toBe("value");
    expect(() => openSecret([first], "mail", next)).toThrow("not available");
    expect(() => rewrapSecret([second], second, "mail", sealed)).toThrow("not available");
    // A damaged secret must not look repaired.
    expect(() => rewrapSecret([first], second, "mail", { ...sealed, data: "AAAA" })).toThrow("damaged");
  });
});

describe("master keys", () => {
  const folderOf = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-keys-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };

  it("come from VITRINE_KEY, the new one first, or else from a private file", async () => {
    const file = join(await folderOf(), "secrets.key");
    expect(await readMasterKeys({ file, env: {} })).toEqual([]);
    const made = await createMasterKey(file);
    expect(await readMasterKeys({ file, env: {} })).toEqual([made]);
    await expect(createMasterKey(file)).rejects.toThrow("created by another process");
    const given = `${second.key.toString("hex")}, ${first.key.toString("base64url")}`;
    expect(await readMasterKeys({ file, env: { VITRINE_KEY: given } })).toEqual([second, first]);
    await chmod(file, 0o644);
    await expect(readMasterKeys({ file, env: {} })).rejects.toThrow("can be read by others");
  });

  it.each(["", " , ", "short", `${"0".repeat(64)},short`])("refuses %j without showing it", async (text) => {
    const file = join(await folderOf(), "secrets.key");
    await writeFile(file, text, { mode: 0o600 });
    for (const env of [{}, { VITRINE_KEY: text }]) {
      const error = await readMasterKeys({ file, env }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ data: { code: "config-invalid" } });
      expect(String(error)).not.toMatch(/short|0000/);
    }
  });
});
