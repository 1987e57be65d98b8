/**
 * Replaces the master key of the secrets, while nodes use them.
 *
 * @module
 */
import { type MasterKey, rewrapSecret, UnreadableSecret } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { ask, change, type QueryEngine, wait } from "../engine.js";
import { changeKeyState, keysInUse, startKeyState } from "./key-state.js";
import { otherKey } from "./stored-secrets.js";
import type { StoredSecret } from "./tables.js";

/** Secrets that one statement reads. */
const AT_ONCE = 100;

/** The result of a rotation. */
export interface Rotation {
  /** The id of the new key. */
  readonly keyId: string;
  /** The number of secrets that got the new key. */
  readonly rewrapped: number;
  /** Names of damaged secrets. The old key stays in use until they are deleted or stored again. */
  readonly damaged: readonly string[];
}

/**
 * Makes the first of the keys the active one, and encrypts the data key of every secret with it. When it is interrupted,
 * start it again: it continues.
 *
 * @param pause milliseconds before the last look for secrets that a node wrote with the old key
 * @throws {GatewayError} `config-invalid` if a key is missing that secrets are encrypted with
 */
export async function rotateSecrets(
  engine: QueryEngine,
  keys: readonly MasterKey[],
  pause = 1000,
): Promise<Rotation> {
  const before = await startKeyState(engine, keys);
  const [to] = keys;
  for (const id of keysInUse(before)) if (!keys.some((key) => key.id === id)) throw otherKey(id, keys);
  if (!to) throw otherKey(before.active, keys);
  const previous = keysInUse(before).filter((id) => id !== to.id);
  const state = await changeKeyState(engine, before, to.id, previous);
  if (state.active !== to.id)
    throw new GatewayError(
      "config-invalid",
      "the master key is being replaced by another command: wait for it",
    );
  let rewrapped = await rewrapAll(engine, keys, to);
  await wait(pause);
  rewrapped += await rewrapAll(engine, keys, to);
  const left = await ask(engine, (db) =>
    db.selectFrom("vitrine_secrets").select("name").where("keyId", "!=", to.id).orderBy("name").execute(),
  );
  if (left.length === 0) await changeKeyState(engine, state, to.id, []);
  return { keyId: to.id, rewrapped, damaged: left.map(({ name }) => name) };
}

async function rewrapAll(engine: QueryEngine, keys: readonly MasterKey[], to: MasterKey): Promise<number> {
  let rewrapped = 0;
  for (let after = ""; ; ) {
    const rows = await ask(engine, (db) =>
      db
        .selectFrom("vitrine_secrets")
        .selectAll()
        .where("keyId", "!=", to.id)
        .where("id", ">", after)
        .orderBy("id")
        .limit(AT_ONCE)
        .execute(),
    );
    const sealed = rows.flatMap((row) => rewrap(keys, to, row));
    if (sealed.length > 0)
      rewrapped += await change(engine, (db) =>
        sealed.map(({ row, keyId, wrapped }) =>
          db
            .updateTable("vitrine_secrets")
            .set({ keyId, wrapped })
            .where("id", "=", row.id)
            // A node may have stored another value meanwhile.
            .where("version", "=", row.version)
            .where("keyId", "=", row.keyId),
        ),
      );
    after = rows.at(-1)?.id ?? after;
    if (rows.length < AT_ONCE) return rewrapped;
  }
}

/** Empty for a damaged secret. */
function rewrap(
  keys: readonly MasterKey[],
  to: MasterKey,
  row: StoredSecret,
): { row: StoredSecret; keyId: string; wrapped: string }[] {
  try {
    const { keyId, wrapped } = rewrapSecret(keys, to, row.name, row);
    return [{ row, keyId, wrapped }];
  } catch (error) {
    if (error instanceof UnreadableSecret) return [];
    throw error;
  }
}
