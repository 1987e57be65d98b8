/**
 * The master keys of a gateway with several nodes: every node has the same ones.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { readPrivate, refused, writePrivate } from "../support/private-file.js";
import { keyIdOf, parseKey } from "./master-key.js";

/** A master key, and its id, which reveals nothing about it. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Options of {@link readMasterKeys}. */
export interface MasterKeyOptions {
  /** The file of the keys, one on each line. Only its user may read it. */
  readonly file: string;
  /** May contain `VITRINE_KEY`, which takes precedence: keys, separated by commas. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Reads the master keys from `VITRINE_KEY`, or from a file. There are several while the keys are changed: the new one
 * first, then those that older secrets are encrypted with. Returns none if there is neither variable nor file.
 *
 * @throws {GatewayError} `config-invalid`
 * @example
 * ```ts source="./secrets.examples.ts#readMasterKeys"
 * const [newest, ...older] = await readMasterKeys({ file: "/etc/vitrine/secrets.key" });
 * ```
 */
export async function readMasterKeys({ file, env = process.env }: MasterKeyOptions): Promise<MasterKey[]> {
  const given = env["VITRINE_KEY"];
  if (given !== undefined) return parseKeys(given, "VITRINE_KEY");
  const text = await readPrivate(file);
  return text === undefined ? [] : parseKeys(text, file);
}

/**
 * Creates a master key in a new file.
 *
 * @throws {GatewayError} `config-invalid` if the file exists
 */
export async function createMasterKey(file: string): Promise<MasterKey> {
  const key = randomBytes(32);
  if (!(await writePrivate(file, `${key.toString("base64url")}\n`, true)))
    throw refused(file, "was created by another process meanwhile: start again");
  return { id: keyIdOf(key), key };
}

function parseKeys(text: string, where: string): MasterKey[] {
  const keys = text
    .split(/[\s,]+/)
    .filter((each) => each !== "")
    .map(parseKey);
  const found = keys.flatMap((key) => (key === undefined ? [] : [{ id: keyIdOf(key), key }]));
  if (found.length === 0 || found.length < keys.length)
    throw refused(where, "each key must be 32 random bytes, as 64 hexadecimal digits or base64url");
  return found;
}
