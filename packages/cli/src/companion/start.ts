/**
 * The companion's gateway: only for this user, only on this machine.
 *
 * @module
 */
import {
  type GatewayOptions,
  type GatewaySettings,
  type RunningGateway,
  startGateway,
} from "@vitrine/gateway";
import { GatewayError } from "@vitrine/wire";
import { freePorts } from "../free-ports.js";

/** Options of {@link startForCompanion}. */
export interface StartOptions {
  readonly port?: number | undefined;
  /** A database that the user named: no other may be used. */
  readonly database?: string | undefined;
  /** Called with notes for the user. */
  onnote(sentence: string): void;
}

/**
 * Starts the gateway. Users, addresses and origins in the settings are for `vitrine serve`. Several
 * companions can run at once, one per agent; all but the first keep their state in memory.
 */
export async function startForCompanion(
  read: GatewaySettings,
  more: GatewayOptions,
  options: StartOptions,
): Promise<{ gateway: RunningGateway; settings: GatewaySettings }> {
  const { page, apps } = await freePorts(options.port, read.listen.port);
  const settings: GatewaySettings = {
    ...read,
    listen: { host: "127.0.0.1", port: page, users: [] },
    sandbox: { port: apps, publicSuffix: false, console: true },
  };
  try {
    return { gateway: await startGateway(settings, more), settings };
  } catch (error) {
    const isInUse = error instanceof GatewayError && error.data["inUse"] === true;
    if (!isInUse || options.database !== undefined) throw error;
    options.onnote(
      "another Vitrine uses the database: consents and messages of this run are lost at the end",
    );
    return { gateway: await startGateway({ ...settings, database: "sqlite::memory:" }, more), settings };
  }
}
