/**
 * Settings that all nodes get from the database, so that a node needs nothing but the database's URL and the master key.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { SharedSecretStore } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import { parseJson } from "../config/json.js";
import { type ReadOptions, readDataFolder, readSettings } from "../config/read.js";
import type { Log } from "../http/logging.js";
import { PublishedSettings } from "../store/shared/published-settings.js";
import type { NodeOptions } from "./options.js";
import { openSharedState } from "./shared-state.js";

/** Options of {@link joinSettings}. */
export interface JoinOptions extends Omit<ReadOptions, "file" | "secrets"> {
  /** The URL of the nodes' PostgreSQL database. */
  readonly database: string;
  readonly node?: NodeOptions | undefined;
  readonly log: Pick<Log, "error" | "warn">;
  /** Called when published settings are rejected; the current ones stay in force. */
  readonly onerror: (error: GatewayError) => void;
}

/** The settings of all nodes. */
export interface JoinedSettings {
  /** The newest valid settings. */
  readonly current: GatewaySettings;
  /** The version of {@link current}. */
  readonly version: number;
  /** The secrets of all nodes. */
  readonly secrets: SharedSecretStore;
  /** Whether a settings file has the published settings. */
  isPublished(text: string): boolean;
  /**
   * Publishes the text of a settings file to all nodes. `database` and `dataFolder` are each node's own, and left out.
   * Resolves when this node has applied it.
   *
   * @throws {GatewayError} `config-invalid` if it is not valid
   */
  publish(text: string): Promise<number>;
  close(): Promise<void>;
}

/**
 * Reads the published settings, and again when another version is published.
 *
 * @param first publishes this text if nothing is published yet
 * @throws {GatewayError} `config-invalid`
 */
export async function joinSettings(
  onchange: (settings: GatewaySettings) => void | Promise<void>,
  { database, node = {}, log, onerror, ...options }: JoinOptions,
  first?: string,
): Promise<JoinedSettings> {
  const overrides = { ...options.overrides, database };
  const dataFolder = await readDataFolder("{}", { env: options.env, overrides });
  const state = await openSharedState({ database, dataFolder }, node, log);
  const published = new PublishedSettings(state.database, state.changes);
  const read = (text: string) =>
    readSettings(text, { ...options, overrides, secrets: async () => state.secrets });
  try {
    if (first !== undefined && (await published.read()) === undefined) {
      await read(first);
      await published.publish(withoutPlaces(first));
    }
    const found = await published.read();
    if (!found)
      throw new GatewayError(
        "config-invalid",
        "no settings are published in this database: start the first node with --config FILE beside --join",
      );
    let { version, text } = found;
    let current = await read(text);
    let isClosed = false;
    let work = Promise.resolve();
    const look = async (): Promise<void> => {
      const next = await published.read();
      if (isClosed || !next || next.version === version) return;
      ({ version, text } = next);
      const settings = await read(text);
      if (isClosed) return;
      await onchange(settings);
      current = settings;
    };
    const changed = (): Promise<void> => {
      work = work.then(look).catch((error: unknown) => {
        if (!isClosed) onerror(rejected(error, version));
      });
      return work;
    };
    const stop = published.onChange(changed);
    // Picks up a version that was published since the first read.
    void changed();
    return {
      get current() {
        return current;
      },
      get version() {
        return version;
      },
      secrets: state.secrets,
      isPublished: (written) => withoutPlaces(written) === text,
      async publish(written) {
        await read(written);
        const at = await published.publish(withoutPlaces(written));
        await changed();
        return at;
      },
      async close() {
        isClosed = true;
        stop();
        await work;
        await state.close();
      },
    };
  } catch (error) {
    await state.close();
    throw error;
  }
}

function rejected(error: unknown, version: number): GatewayError {
  const { message, data } =
    error instanceof GatewayError
      ? error
      : new GatewayError("config-invalid", String(error), { cause: error });
  const text = `version ${version} of the published settings: ${message}\nThe previous settings stay in force.`;
  return new GatewayError("config-invalid", text, { cause: error, data });
}

/** Each node has its own folder, and the database's URL may contain a password. */
function withoutPlaces(text: string): string {
  const { database: _, dataFolder: __, ...shared } = recordOf(parseJson(text));
  return JSON.stringify(shared);
}
