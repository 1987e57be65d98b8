/**
 * The gateway behind the companion: for this person alone, on this machine alone.
 *
 * @module
 */
import { type Gateway, type GatewayOptions, type GatewaySettings, startGateway } from "@vitrine/gateway";
import { GatewayError } from "@vitrine/wire";
import { freePorts } from "../free-ports.js";

/** Options of {@link startForCompanion}. */
export interface StartOptions {
  readonly port?: number | undefined;
  /** The person named a database: no other will do. */
  readonly database?: string | undefined;
  /** Something that the person should know. */
  onnote(sentence: string): void;
}

/**
 * Starts it: users, addresses and origins of the settings are for `vitrine serve`. A companion runs beside others, one for each
 * agent: who comes second keeps what it knows in memory.
 */
export async function startForCompanion(
  read: GatewaySettings,
  more: GatewayOptions,
  options: StartOptions,
): Promise<{ gateway: Gateway; settings: GatewaySettings }> {
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
    options.onnote("another Vitrine has the database: what is allowed and said here is forgotten at the end");
    return { gateway: await startGateway({ ...settings, database: "sqlite::memory:" }, more), settings };
  }
}
