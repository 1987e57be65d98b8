/**
 * The master keys in use, as the database knows them: by their ids.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { MasterKey } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { ask, change, type QueryEngine } from "../engine.js";
import type { Tables } from "../schema.js";

/** In `vitrine_state`: the ids of the master keys. */
const NAME = "secrets-key";

/** The master keys in use. */
export interface KeyState {
  /** The id of the key that encrypts new secrets. */
  readonly active: string;
  /** The ids of keys that some secrets are still encrypted with, while the master key is replaced. */
  readonly previous: readonly string[];
  /** The stored text, for comparisons. */
  readonly text: string;
}

/** The ids of all keys in use. */
export const keysInUse = ({ active, previous }: KeyState): readonly string[] => [active, ...previous];

const stateOf = (active: string, previous: readonly string[]): KeyState => ({
  active,
  previous,
  text: JSON.stringify({ active, previous }),
});

function parse(text: string): KeyState {
  try {
    const state: unknown = JSON.parse(text);
    if (isRecord(state)) {
      const { active, previous } = state;
      if (typeof active === "string" && Array.isArray(previous))
        return { active, previous: previous.map(String), text };
    }
  } catch {
    // Reported below.
  }
  throw new GatewayError(
    "config-invalid",
    `the row "${NAME}" of the table vitrine_state is damaged: restore it from a back-up, or delete it`,
  );
}

async function find(engine: QueryEngine): Promise<KeyState | undefined> {
  const row = await ask(engine, (db) =>
    db.selectFrom("vitrine_state").select("value").where("name", "=", NAME).executeTakeFirst(),
  );
  return row && parse(row.value);
}

/** Whether a node has decided on a master key. */
export const hasKeyState = async (engine: QueryEngine): Promise<boolean> =>
  (await find(engine)) !== undefined || (await idsOfSecrets(engine)).length > 0;

/** The master keys in use. */
export async function currentKeys(engine: QueryEngine): Promise<KeyState> {
  const state = await find(engine);
  if (state) return state;
  throw new GatewayError(
    "config-invalid",
    "the database has lost the ids of its master keys: start a node again",
  );
}

/** The master keys in use. If there are none yet, the first of a node's keys becomes the active one. */
export async function startKeyState(engine: QueryEngine, keys: readonly MasterKey[]): Promise<KeyState> {
  const found = await find(engine);
  if (found) return found;
  const ids = await idsOfSecrets(engine);
  const active = ids[0] ?? keys[0]?.id;
  if (active === undefined)
    throw new GatewayError(
      "config-invalid",
      "a gateway with several nodes needs a master key: set VITRINE_KEY to 32 random bytes in hexadecimal digits, the same for every node",
    );
  const { text } = stateOf(active, ids.slice(1));
  await change(engine, (db) =>
    db
      .insertInto("vitrine_state")
      .values({ name: NAME, value: text })
      .onConflict((conflict) => conflict.column("name").doNothing()),
  );
  // Another node may have been faster.
  return currentKeys(engine);
}

/** Replaces the state, unless somebody else has changed it. */
export async function changeKeyState(
  engine: QueryEngine,
  before: KeyState,
  active: string,
  previous: readonly string[],
): Promise<KeyState> {
  const next = stateOf(active, previous);
  await change(engine, (db) =>
    db
      .updateTable("vitrine_state")
      .set({ value: next.text })
      .where("name", "=", NAME)
      .where("value", "=", before.text),
  );
  return currentKeys(engine);
}

/** Whether the database still has this state, as a condition of a statement. */
export const isKeyState = (db: Kysely<Tables>, { text }: KeyState): Expression<SqlBool> =>
  sql<SqlBool>`exists ${db
    .selectFrom("vitrine_state")
    .select("name")
    .where("name", "=", NAME)
    .where("value", "=", text)}`;

/** The ids of the master keys that secrets are encrypted with, most secrets first. */
async function idsOfSecrets(engine: QueryEngine): Promise<string[]> {
  const rows = await ask(engine, (db) =>
    db
      .selectFrom("vitrine_secrets")
      .select("keyId")
      .groupBy("keyId")
      .orderBy(({ fn }) => fn.countAll(), "desc")
      .execute(),
  );
  return rows.map(({ keyId }) => keyId);
}
