/**
 * Options of a gateway that are not in the settings file.
 *
 * @module
 */
import type { DetectionOptions } from "@vitrine/conversation";
import type { ConsentAnswer, Question } from "@vitrine/guard";
import type { ServerStatus } from "@vitrine/servers";
import type { HostOptions } from "../http/answer-view.js";
import type { Caller } from "../http/api.js";
import type { Log } from "../http/logging.js";
import type { StaticOptions } from "../http/static.js";
import type { SetupHost } from "../setup/setup-host.js";
import type { StoreOptions } from "../store/open.js";

/** Options of a gateway that is one of several nodes. */
export interface NodeOptions {
  /** The file of the master key, if `VITRINE_KEY` is not set; `secrets.key` in the data folder by default. */
  readonly keyFile?: string | undefined;
  /** The local address for other nodes, `host:port`. */
  readonly listen?: string | undefined;
  /** The address under which other nodes reach this one, `host:port`. */
  readonly address?: string | undefined;
}

/** Options of {@link startGateway}. */
export interface GatewayOptions {
  /** The log; to stderr by default. */
  log?: Log | undefined;
  /** The folder of the web page, and its policy. */
  static?: Omit<StaticOptions, "frames"> | undefined;
  /**
   * Handlers of the host endpoint for the views of a user's program, in addition to those of the server; none
   * by default. Called for each message. The guard checks each request before a handler runs.
   *
   * @example
   * ```ts source="./gateway.examples.ts#host"
   * const gateway = await startGateway(settings, {
   *   host: ({ user }, server) => ({
   *     // A view's `ui/message` goes to the chat of the user whose program shows it.
   *     handlers: { message: ({ content }) => void chats.get(user)?.push(server, JSON.stringify(content)) },
   *     initialize: () => ({ hostContext: { theme: "dark" } }),
   *   }),
   * });
   * ```
   */
  host?: ((caller: Caller, server: string) => HostOptions) | undefined;
  /**
   * Called with the status of servers, including the end of their stderr. Show it to a user; do not log it.
   */
  onstatus?: ((status: ServerStatus) => void) | undefined;
  /** Called when the lists of a server have changed. */
  onchange?: ((server: string) => void) | undefined;
  /** Called with a program's stderr output. Show it to a user; do not log it. */
  onstderr?: ((server: string, chunk: Buffer) => void) | undefined;
  /**
   * Answers questions of the guard in place of the user, for a program that runs without one. Only what would
   * be asked arrives here: what a policy allows or denies is decided already. By default, the user is asked in a page.
   *
   * @example
   * ```ts source="./gateway.examples.ts#answer"
   * const gateway = await startGateway(settings, {
   *   // Only this tool may change something.
   *   answer: ({ server, method, subject }) =>
   *     server === "board" && method === "tools/call" && subject === "add-card" ? "allow" : "deny",
   * });
   * ```
   */
  answer?: ((question: Question, user: string) => ConsentAnswer["answer"]) | undefined;
  /**
   * Lets programs control the page through its host test interface (docs/host-test.md): they read the model's
   * input, and answer questions on the user's behalf. For tests only; off by default, and not available in
   * settings files.
   */
  testMode?: boolean | undefined;
  /**
   * Makes the gateway one of several nodes, as `nodes` in the settings does: secrets, tokens, sign-ins, documents, the
   * sandbox's key and the selected model are in the PostgreSQL database that all nodes share, and not in files.
   */
  node?: NodeOptions | undefined;
  /**
   * Called when another node has taken over the users of this one, because it did not reach the database in time: it cannot
   * act any more. Close it, and start another one.
   */
  onlost?: (() => void) | undefined;
  /**
   * Lets pages of users who may administer change the settings file. A page can never start a program: the host
   * asks in its terminal.
   */
  setup?: SetupHost | undefined;
  /** Where to look for model servers on this machine: their usual ports by default. */
  detection?: DetectionOptions | undefined;
  /** Options of the database. */
  store?: Pick<StoreOptions, "acceptBrokenChain" | "noted"> | undefined;
}
