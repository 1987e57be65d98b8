/** Two nodes of a gateway that share a database, as far as tables are concerned. */
import { randomBytes } from "node:crypto";
import { type MasterKey, readMasterKeys } from "@vitrine/servers";
import type { QueryEngine } from "../../packages/gateway/src/store/engine.js";
import { migrate } from "../../packages/gateway/src/store/migrations.js";
import { openShared } from "../../packages/gateway/src/store/shared/open-shared.js";
import { openSqlite } from "../../packages/gateway/src/store/sqlite.js";
import { startPostgres } from "../postgres.js";

/** Opens two nodes on a new database. */
export type TwoNodes = () => Promise<readonly [QueryEngine, QueryEngine]>;

/**
 * Starts the server of a test file, which must remove it; `postgres` is undefined if none can run here. `newSchema` returns the
 * URL of a new schema. `nodesOn` returns the databases to test with: two connections to PostgreSQL, and SQLite, where both
 * nodes are in one process; `open` gets functions that close them.
 */
export async function startNodesDatabase() {
  const postgres = await startPostgres();
  let schemas = 0;
  const newSchema = (): string => {
    if (!postgres) throw new Error("no PostgreSQL");
    return postgres.schema(`nodes_${++schemas}`);
  };
  const nodesOn = (open: (() => unknown)[]): [kind: string, twoNodes: TwoNodes][] => {
    const sqlite: TwoNodes = async () => {
      const engine = await openSqlite(":memory:", 0);
      open.push(() => engine.close());
      await migrate(engine.db, engine.kind);
      return [engine, engine];
    };
    const onPostgres: TwoNodes = async () => {
      const url = newSchema();
      const nodes = await Promise.all([openShared(url), openShared(url)]);
      for (const node of nodes) open.push(() => node.close());
      const [a, b] = nodes;
      if (!a || !b) throw new Error("no nodes");
      return [a, b];
    };
    return [
      ["SQLite", sqlite],
      ...(postgres ? [["PostgreSQL", onPostgres] satisfies [string, TwoNodes]] : []),
    ];
  };
  return { postgres, newSchema, nodesOn };
}

/** A random master key. */
export async function randomKey(): Promise<MasterKey> {
  const env = { VITRINE_KEY: randomBytes(32).toString("hex") };
  const [key] = await readMasterKeys({ file: "", env });
  if (!key) throw new Error("no key");
  return key;
}
