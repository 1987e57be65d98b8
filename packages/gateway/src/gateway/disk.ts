/**
 * The parts of a gateway that are on disk.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { Models } from "@vitrine/conversation";
import { openSecrets, type SecretStore } from "@vitrine/servers";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import { IN_MEMORY } from "../config/top-settings.js";
import { KeptBrowsers } from "../http/kept-browsers.js";
import type { Log } from "../http/logging.js";
import type { NodeLinks } from "../nodes/link/node-links.js";
import { openStore, type StoreOptions } from "../store/open.js";
import { type Ownership, takeFolder } from "../store/sqlite-owner.js";
import type { GatewayStore } from "../store/store.js";
import type { NodeOptions } from "./options.js";
import type { SharedState } from "./shared-state.js";

/** Milliseconds to wait for another gateway to leave the data folder: it may be stopping. */
const FOLDER_TIMEOUT = 2000;

/** Everything that a gateway opens before it starts. */
export interface Disk {
  readonly store: GatewayStore;
  readonly secrets: SecretStore;
  /** The signed-in browsers of a gateway alone. */
  readonly browsers: KeptBrowsers | undefined;
  /** The state that this node shares with others, instead of files. */
  readonly shared: SharedState | undefined;
  /** The listener of this node for others. */
  readonly links: NodeLinks | undefined;
  readonly models: Models;
  /** The lock on the data folder; undefined with a database in memory. */
  readonly folder: Ownership | undefined;
}

/**
 * Opens the data folder, the database, the secrets, the signed-in browsers and the models. If one of them fails, it closes the
 * others, so that nothing stays locked.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function openDisk(
  settings: GatewaySettings,
  options: StoreOptions,
  log: Log,
  node?: NodeOptions,
): Promise<Disk> {
  const { dataFolder, database } = settings;
  const opened: (() => unknown)[] = [];
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      const message = `cannot use the data folder ${dataFolder}: ${messageOf(cause)}. Choose another one (dataFolder, --data)`;
      throw new GatewayError("config-invalid", message, { cause });
    });
    // A gateway with a database in memory may run beside another one, and leaves nothing behind.
    const folder = database === IN_MEMORY ? undefined : await takeFolder(dataFolder, FOLDER_TIMEOUT);
    opened.push(() => folder?.release());
    // Loaded on demand: most gateways are alone.
    const isNode = settings.nodes !== undefined || node !== undefined;
    const shared = isNode
      ? await (await import("./shared-state.js")).openSharedState(settings, node ?? {}, log)
      : undefined;
    opened.push(() => shared?.close());
    const joined =
      shared && (await (await import("./open-node-links.js")).openNodeLinks(settings, node, shared, log));
    opened.push(() => joined?.links.close(0));
    const secrets = shared?.secrets ?? (await openSecrets({ folder: dataFolder }));
    const browsers = shared
      ? undefined
      : await KeptBrowsers.open(dataFolder, (error) =>
          log.error({ err: error }, "the signed-in browsers could not be stored"),
        );
    opened.push(() => browsers?.close());
    const store = await openStore(database, {
      folder: dataFolder,
      ...options,
      join: joined?.identity,
      balanceAfter: settings.nodes?.balance,
    });
    opened.push(() => store.close());
    const models = await Models.open({
      settings: settings.model,
      folder: dataFolder,
      choice: shared?.modelChoice,
      onerror: (error) => log.error({ err: error }, "something failed"),
    });
    return { store, secrets, browsers, shared, links: joined?.links, models, folder };
  } catch (error) {
    for (const close of opened.reverse())
      await (async () => close())().catch((cause: unknown) => log.error({ err: cause }, "closing failed"));
    throw error;
  }
}
