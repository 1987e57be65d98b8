/**
 * Secrets in the database of the nodes, encrypted one by one. Nothing is cached: another node may change them
 * at any time.
 *
 * @module
 */
import {
  type MasterKey,
  openSecret,
  type SealedSecret,
  type SharedSecretStore,
  sealSecret,
  UnreadableSecret,
} from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { type Expression, type SqlBool, sql } from "kysely";
import { ask, change, type QueryEngine } from "../engine.js";
import { sha256, storableText } from "../row.js";
import { currentKeys, isKeyState, type KeyState, keysInUse, startKeyState } from "./key-state.js";

/** Attempts to write while other nodes change the same secret or the master key. */
const ATTEMPTS = 20;

/** The encrypted secrets of all nodes. */
export class StoredSecrets implements SharedSecretStore {
  readonly #engine: QueryEngine;
  readonly #keys: readonly MasterKey[];

  private constructor(engine: QueryEngine, keys: readonly MasterKey[]) {
    this.#engine = engine;
    this.#keys = keys;
  }

  /**
   * Opens the secrets. The first node decides on the master key.
   *
   * @param keys the new one first, then those of older secrets
   * @throws {GatewayError} `config-invalid` if the secrets in the database were encrypted with another key
   */
  static async open(engine: QueryEngine, keys: readonly MasterKey[]): Promise<StoredSecrets> {
    const state = await startKeyState(engine, keys);
    for (const id of keysInUse(state)) if (!keys.some((key) => key.id === id)) throw otherKey(id, keys);
    return new StoredSecrets(engine, keys);
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.read(key))?.value;
  }

  async read(name: string): Promise<{ readonly value: string; readonly version: number } | undefined> {
    const row = await ask(this.#engine, (db) =>
      db.selectFrom("vitrine_secrets").selectAll().where("id", "=", sha256(name)).executeTakeFirst(),
    );
    return row && { value: this.#open(name, row), version: row.version };
  }

  async set(name: string, value: string): Promise<void> {
    await this.#write(async (state) => {
      const sealed = this.#seal(state, name, value);
      return change(this.#engine, (db) =>
        db
          .insertInto("vitrine_secrets")
          .columns(["id", "name", "version", "keyId", "wrapped", "data"])
          .expression(this.#rowIf(state, name, sealed))
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...sealed })),
      );
    });
  }

  async replace(name: string, value: string | undefined, version: number | undefined): Promise<boolean> {
    const id = sha256(name);
    const changed = await this.#write(async (state) => {
      if (value === undefined)
        return version === undefined
          ? 0
          : change(this.#engine, (db) =>
              db.deleteFrom("vitrine_secrets").where("id", "=", id).where("version", "=", version),
            );
      const sealed = this.#seal(state, name, value);
      if (version === undefined)
        return change(this.#engine, (db) =>
          db
            .insertInto("vitrine_secrets")
            .columns(["id", "name", "version", "keyId", "wrapped", "data"])
            .expression(this.#rowIf(state, name, sealed))
            .onConflict((conflict) => conflict.column("id").doNothing()),
        );
      return change(this.#engine, (db) =>
        db
          .updateTable("vitrine_secrets")
          .set({ ...sealed })
          .where("id", "=", id)
          .where("version", "=", version)
          .where(() => isKeyState(db, state)),
      );
    });
    return changed > 0;
  }

  async delete(name: string): Promise<boolean> {
    const deleted = await change(this.#engine, (db) =>
      db.deleteFrom("vitrine_secrets").where("id", "=", sha256(name)),
    );
    return deleted > 0;
  }

  /**
   * Writes with the current master key. The statement changes nothing if the master key was replaced meanwhile: a node
   * that was frozen must not write with the old one.
   */
  async #write(write: (state: KeyState) => Promise<number>): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const state = await currentKeys(this.#engine);
      const changed = await write(state);
      if (changed > 0 || (await currentKeys(this.#engine)).text === state.text) return changed;
    }
    throw new GatewayError("config-invalid", "the master key of the secrets changes all the time");
  }

  #seal(state: KeyState, name: string, value: string): SealedSecret {
    const key = this.#keys.find(({ id }) => id === state.active);
    if (!key) throw otherKey(state.active, this.#keys);
    return sealSecret(key, name, value);
  }

  #open(name: string, row: SealedSecret): string {
    try {
      return openSecret(this.#keys, name, row);
    } catch (cause) {
      if (!(cause instanceof UnreadableSecret)) throw cause;
      throw cause.reason === "key" ? otherKey(row.keyId, this.#keys) : damaged(name, cause);
    }
  }

  /** The row as a query that is empty if the master key is not the current one. */
  #rowIf(state: KeyState, name: string, { version, keyId, wrapped, data }: SealedSecret) {
    return () => {
      const { db } = this.#engine;
      const isCurrent: Expression<SqlBool> = isKeyState(db, state);
      return db
        .selectNoFrom([
          sql<string>`cast(${sha256(name)} as text)`.as("id"),
          sql<string>`cast(${storableText(name)} as text)`.as("name"),
          sql<number>`cast(${version} as bigint)`.as("version"),
          sql<string>`cast(${keyId} as text)`.as("keyId"),
          sql<string>`cast(${wrapped} as text)`.as("wrapped"),
          sql<string>`cast(${data} as text)`.as("data"),
        ])
        .where(isCurrent);
    };
  }
}

/** Ids are shown, because they reveal nothing about the keys. */
export const otherKey = (id: string, keys: readonly MasterKey[]): GatewayError =>
  new GatewayError(
    "config-invalid",
    `the secrets in the database are encrypted with the master key ${id}, and this node has ${
      keys.length > 0 ? keys.map((key) => key.id).join(", ") : "none"
    }: give every node the same key, in VITRINE_KEY or the file secrets.key`,
  );

export const damaged = (name: string, cause: unknown): GatewayError =>
  new GatewayError(
    "config-invalid",
    `the secret ${JSON.stringify(name)} in the database is damaged: restore it from a back-up, or store it again`,
    { cause },
  );
