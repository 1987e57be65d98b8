/**
 * Options of a gateway that no settings file has.
 *
 * @module
 */
import type { ServerStatus } from "@vitrine/servers";
import type { Caller } from "../http/api.js";
import type { HostOptions } from "../http/host-door.js";
import type { Log } from "../http/logging.js";
import type { StaticOptions } from "../http/static.js";
import type { StoreOptions } from "../store/open.js";

/** Options of {@link startGateway}. */
export interface GatewayOptions {
  /** Where it logs; to stderr by default. */
  log?: Log | undefined;
  /** A folder with the page that people open, and what its policy allows. */
  static?: Omit<StaticOptions, "frames"> | undefined;
  /**
   * What the host endpoint does for the views of a user's program, beside what their server does; nothing by default.
   * Called for each message. What a handler does passes the guard first, with what the policy says.
   *
   * @example
   * ```ts source="./gateway.examples.ts#host"
   * const gateway = await startGateway(settings, {
   *   host: ({ user }, server) => ({
   *     // What a view asks for by `ui/message` goes to the chat of the user whose program shows it.
   *     handlers: { message: ({ content }) => void chats.get(user)?.push(server, JSON.stringify(content)) },
   *     initialize: () => ({ hostContext: { theme: "dark" } }),
   *   }),
   * });
   * ```
   */
  host?: ((caller: Caller, server: string) => HostOptions) | undefined;
  /** Hears how servers are, with the end of what they wrote to stderr: for a person, and for no log. */
  onstatus?: ((status: ServerStatus) => void) | undefined;
  /** Hears of a server whose lists are not what they were. */
  onchange?: ((server: string) => void) | undefined;
  /** Hears what a program writes to stderr, as it does: for a person, and for no log. */
  onstderr?: ((server: string, chunk: Buffer) => void) | undefined;
  /**
   * Lets programs drive the page by its host test interface (docs/host-test.md): they read what the model is told, and answer
   * questions in the person's place. For tests alone; no by default, and no settings file can say so.
   */
  testMode?: boolean | undefined;
  /** Options of the database. */
  store?: Pick<StoreOptions, "acceptBrokenChain" | "noted"> | undefined;
}
