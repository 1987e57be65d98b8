/**
 * A connection to a server, from the handshake until it ends.
 *
 * @module
 */
import { Client, SdkError, SdkErrorCode, type Transport } from "@modelcontextprotocol/client";
import type { Upstream } from "@vitrine/guard";
import { type Implementation, type LoggingLevel, uiExtension } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { DriverName } from "./isolation/isolation.js";
import { RequestTimeouts } from "./request-timeouts.js";
import type { ServerStatus } from "./server.js";
import { type AskCapabilities, type ServerAsks, takeAsks } from "./server-asks.js";
import type { AskServer } from "./server-requests.js";
import type { ServerSettings } from "./settings.js";
import { negotiation, type VerdictStore, verdictKey } from "./verdicts.js";
import type { WireTap } from "./wire-tap.js";

/** A connection whose handshake is complete. */
export interface ServerConnection {
  readonly upstream: Upstream;
  /** Sends requests of a user who inspects the server. */
  readonly ask: AskServer;
  /**
   * Sets the least level of the server's log lines: by a request, or from revision 2026-07-28 on with every
   * request that follows.
   */
  setLogLevel(level: LoggingLevel): Promise<void>;
  /** Reports that the client's roots have changed, if the server can know of them. */
  rootsChanged(): Promise<void>;
  readonly info?: Implementation | undefined;
  /** How to use the server, in its own words, for a model. */
  readonly instructions?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly driver?: DriverName | undefined;
  readonly pid?: number | undefined;
  /** The end of the server's stderr. */
  readonly stderr?: string | undefined;
  /** Whether the connection has ended. It cannot be used again. */
  readonly isOver: boolean;
  /**
   * Resolves with the reason when the connection has ended, by itself or by {@link close}. All calls have
   * ended by then.
   */
  readonly ended: Promise<GatewayError>;
  /**
   * Set by the connection's user; receives what happened to the server's notifications. `reopened`: some may have been
   * missed. `lost`: the server has ended their session, and sends no more.
   */
  onstream?: ((event: "reopened" | "lost") => void) | undefined;
  /** Set by the connection's user; receives the messages that are no answers, after the handshake. */
  onmessage?: ((message: unknown) => void) | undefined;
  /** Whether the server responds within `timeout` milliseconds. */
  ping(timeout: number): Promise<boolean>;
  close(grace?: number): Promise<void>;
}

/** Options common to all kinds of connections. */
export interface ConnectOptions {
  settings: ServerSettings;
  verdicts: VerdictStore;
  /** Name and version of this client. */
  info: Implementation;
  /** Aborts a start that is no longer needed. */
  signal?: AbortSignal | undefined;
  /** Answers the server's requests. Without it, the client declares no such capability. */
  asks?: ServerAsks | undefined;
  /**
   * Called at the first stdout line that is not a message, possibly before the handshake, with the object
   * that counts these lines.
   */
  ongarbage?: ((counted: Pick<ServerStatus, "garbage">) => void) | undefined;
  /** Shows every message, from the handshake on. */
  tap?: WireTap | undefined;
}

/**
 * Capabilities declared in both protocol generations. Some servers offer their UI only to clients that
 * declare UI support.
 */
const CAPABILITIES = { extensions: uiExtension() };

/**
 * All capabilities that are declared to a server. Computed on each use, because the model for sampling may
 * become unavailable.
 */
export const capabilitiesFor = (
  asks: ServerAsks | undefined,
): AskCapabilities & Required<Pick<AskCapabilities, "extensions">> => ({
  ...CAPABILITIES,
  ...asks?.capabilities(),
});

/**
 * Performs the handshake over a transport and remembers the negotiated generation per server, so that no
 * extra process is started to find it. A remembered generation that no longer works is forgotten.
 */
export async function handshake(
  transport: Transport,
  options: ConnectOptions,
  timeouts: RequestTimeouts = new RequestTimeouts(options.settings.limits.timeout),
): Promise<Client> {
  const { settings, verdicts, info, asks } = options;
  const { startTimeout } = settings.limits;
  const capabilities = capabilitiesFor(asks);
  const key = verdictKey(settings);
  // The SSE transport is older than the second generation.
  const verdict = settings.transport.type === "sse" ? "legacy" : verdicts.get(key);
  const client = new Client(info, {
    capabilities,
    versionNegotiation: negotiation(verdict, startTimeout),
  });
  if (asks) takeAsks(client, asks, capabilities, timeouts);
  try {
    await inTime(client.connect(transport, { timeout: startTimeout }), options);
  } catch (error) {
    if (verdict !== undefined) verdicts.delete(key);
    // A first-generation server may exit at any message before `initialize`.
    else if (diedOfProbe(error) && settings.transport.type === "stdio") verdicts.set(key, "legacy");
    throw error;
  }
  const modern = client.getProtocolEra() === "modern" ? client.getNegotiatedProtocolVersion() : undefined;
  verdicts.set(key, modern ?? "legacy");
  return client;
}

/** Whether a second attempt without a probe may succeed. */
export const diedOfProbe = (error: unknown): boolean =>
  error instanceof SdkError &&
  error.code === SdkErrorCode.EraNegotiationFailed &&
  /closed during the server\/discover probe/.test(error.message);

/** Waits for the handshake until the start timeout, or until the start is aborted. */
async function inTime(work: Promise<void>, { settings, signal }: ConnectOptions): Promise<void> {
  const { name, limits } = settings;
  const late = AbortSignal.timeout(limits.startTimeout);
  const given = AbortSignal.any(signal ? [late, signal] : [late]);
  const over = new Promise<never>((_, reject) => {
    given.addEventListener("abort", () => {
      const message = `${name} did not answer the handshake within ${limits.startTimeout} ms`;
      reject(late.aborted ? new GatewayError("server-failed", message) : given.reason);
    });
  });
  // Handled before anything can throw: the handshake may fail later, when nothing awaits it.
  work.catch(() => {});
  given.throwIfAborted();
  await Promise.race([work, over]);
}

/** Whether the server responds. Any answer counts, even an error. */
export async function isThere(client: Client, timeout: number): Promise<boolean> {
  try {
    // Second-generation servers have no `ping`.
    if (client.getProtocolEra() === "modern") await client.discover({ timeout });
    else await client.ping({ timeout });
    return true;
  } catch (error) {
    return !(error instanceof SdkError);
  }
}

/** The part of {@link ServerConnection} that works the same over every transport. */
export function clientControls(
  client: Client,
  level: LogLevel,
): Pick<ServerConnection, "setLogLevel" | "rootsChanged" | "instructions"> {
  return {
    instructions: client.getInstructions(),
    setLogLevel: async (wanted) => {
      level.current = wanted;
      if (client.getProtocolEra() !== "modern") await client.setLoggingLevel(wanted);
    },
    rootsChanged: async () => {
      // From revision 2026-07-28 on, a server asks for the roots when it needs them.
      if (client.getProtocolEra() !== "modern") await client.sendRootsListChanged();
    },
  };
}

/** The level that goes with every request from revision 2026-07-28 on. */
export interface LogLevel {
  current?: LoggingLevel | undefined;
}
