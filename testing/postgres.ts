/**
 * A real PostgreSQL for tests, with its own folder and port, removed after the tests.
 *
 * @module
 */
import { PostgresServer } from "./postgres-server.ts";

/** A running server. */
export interface TestPostgres {
  /** The URL of a new, empty schema in the database. */
  schema(name: string): string;
  /** Runs a statement in a schema, and returns the rows as text. */
  run(schema: string, sql: string): string;
  /** Stops the server: at once, like a crash (`immediate`), or after disconnecting its clients (`fast`). */
  stop(how?: "fast" | "immediate"): Promise<void>;
  /** Starts the server again, on the same port. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/** Starts a server. Returns undefined, after printing why, if none can run here. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const server = await PostgresServer.create();
  return (
    server && {
      schema: (name) => createSchema(server, name),
      run: (schema, sql) => server.psql(schema, sql),
      stop: (how) => server.stop(how),
      start: () => server.start(),
      remove: () => server.remove(),
    }
  );
}

/** Creates a schema, and returns its URL. */
export function createSchema(server: PostgresServer, name: string): string {
  server.psql("public", `create schema ${name}`);
  return `postgres://vitrine@127.0.0.1:${server.port}/postgres?options=-csearch_path%3D${name}`;
}
