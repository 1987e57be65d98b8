/**
 * One connection to a server, from the handshake until it ends.
 *
 * @module
 */
import { Client, SdkError, SdkErrorCode, type Transport } from "@modelcontextprotocol/client";
import type { Upstream } from "@vitrine/guard";
import { type Implementation, uiExtension } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { DriverName } from "./isolation/isolation.js";
import { Patience } from "./patience.js";
import type { ServerStatus } from "./server.js";
import { type AskCapabilities, type ServerAsks, takeAsks } from "./server-asks.js";
import type { ServerSettings } from "./settings.js";
import { negotiation, type VerdictStore, verdictKey } from "./verdicts.js";

/** A connection that has shaken hands. */
export interface Connection {
  readonly upstream: Upstream;
  readonly info?: Implementation | undefined;
  readonly protocolVersion?: string | undefined;
  readonly driver?: DriverName | undefined;
  readonly pid?: number | undefined;
  /** The end of what the server wrote to stderr. */
  readonly stderr?: string | undefined;
  /** Whether it has ended. One that has is of no use any more. */
  readonly isOver: boolean;
  /** Resolves when it has ended by itself or by {@link close}, with the reason. Calls under way have ended then. */
  readonly ended: Promise<GatewayError>;
  /** Whether the server is there; false when it does not answer within so many milliseconds. */
  ping(timeout: number): Promise<boolean>;
  close(grace?: number): Promise<void>;
}

/** What every kind of connection is made from. */
export interface ConnectOptions {
  settings: ServerSettings;
  verdicts: VerdictStore;
  /** Who we are. */
  info: Implementation;
  /** Ends a start that nobody waits for any more. */
  signal?: AbortSignal | undefined;
  /** Who answers what the server asks; without it nothing is offered to it. */
  asks?: ServerAsks | undefined;
  /** Hears of the first line that was no message, be it before the handshake, and where all of them are counted. */
  ongarbage?: ((counted: Pick<ServerStatus, "garbage">) => void) | undefined;
}

/** What this client says about itself in both generations. C01: some servers offer their UI only to those who show it. */
const CAPABILITIES = { extensions: uiExtension() };

/** All that a server is told of what we can do: now, as the model that could be asked may go. */
export const capabilitiesFor = (asks: ServerAsks | undefined): typeof CAPABILITIES & AskCapabilities => ({
  ...CAPABILITIES,
  ...asks?.capabilities(),
});

/**
 * Shakes hands over a transport, and remembers how: once for each server, with no process started for it. What was
 * remembered and does not hold any more is forgotten.
 */
export async function handshake(
  transport: Transport,
  options: ConnectOptions,
  patience: Patience = new Patience(options.settings.limits.timeout),
): Promise<Client> {
  const { settings, verdicts, info, asks } = options;
  const { startTimeout } = settings.limits;
  const capabilities = capabilitiesFor(asks);
  const key = verdictKey(settings);
  // The forerunner of Streamable HTTP is older than the second generation.
  const verdict = settings.transport.type === "sse" ? "legacy" : verdicts.get(key);
  const client = new Client(info, {
    capabilities,
    versionNegotiation: negotiation(verdict, startTimeout),
  });
  if (asks) takeAsks(client, asks, capabilities, patience);
  try {
    await inTime(client.connect(transport, { timeout: startTimeout }), options);
  } catch (error) {
    if (verdict !== undefined) verdicts.delete(key);
    // It ends on anything before `initialize`: as a server of the first generation may.
    else if (diedOfProbe(error) && settings.transport.type === "stdio") verdicts.set(key, "legacy");
    throw error;
  }
  const modern = client.getProtocolEra() === "modern" ? client.getNegotiatedProtocolVersion() : undefined;
  verdicts.set(key, modern ?? "legacy");
  return client;
}

/** Whether a second try, which does not probe, may do better. */
export const diedOfProbe = (error: unknown): boolean =>
  error instanceof SdkError &&
  error.code === SdkErrorCode.EraNegotiationFailed &&
  /closed during the server\/discover probe/.test(error.message);

/** Waits for the handshake, but not longer than the server may take, and not when nobody wants it any more. */
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
  // Before anything that throws: it may fail later, and nobody waits for it then.
  work.catch(() => {});
  given.throwIfAborted();
  await Promise.race([work, over]);
}

/** Whether the server is there: any answer will do, an error too. */
export async function isThere(client: Client, timeout: number): Promise<boolean> {
  try {
    // The second generation has no `ping`.
    if (client.getProtocolEra() === "modern") await client.discover({ timeout });
    else await client.ping({ timeout });
    return true;
  } catch (error) {
    return !(error instanceof SdkError);
  }
}
