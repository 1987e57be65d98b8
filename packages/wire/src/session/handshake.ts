/**
 * The handshake of a connection: `hello` from the page, `welcome` or `bye` from the gateway.
 *
 * @module
 */
import {
  boolean,
  decode,
  type Infer,
  integer,
  literal,
  object,
  type Shape,
  string,
  VitrineError,
} from "@vitrine/protocol";

const HELLO = object(
  { version: literal(1), received: integer },
  { session: string, key: string, fresh: boolean },
);
const WELCOME = object({
  session: string,
  key: string,
  epoch: string,
  received: integer,
  resumed: boolean,
  grace: integer,
  limits: object({ window: integer, message: integer }),
});
const BYE = object({ code: string, message: string });

/**
 * The first frame of a page. `session` and `key` identify a session to resume, and `received` is the last
 * received number. `fresh` means that the page was loaded anew and has no state.
 */
export type Hello = Infer<typeof HELLO>;

/**
 * The gateway's answer. `resumed` says whether the session was resumed; `epoch` identifies the gateway's
 * process; `grace` is how many milliseconds a session lives without a connection. Store `key`: it changes
 * with each fresh page.
 */
export type Welcome = Infer<typeof WELCOME>;

/** The last frame of a connection, from either side, with the reason. */
export type Bye = Infer<typeof BYE>;

/** Codes of a gateway's `bye`, and how a page reacts. */
export type ByeCode =
  /** Another page resumed this session: start a new one. */
  | "taken-over"
  /** The gateway stops or is overloaded: reconnect later. */
  | "stopping"
  | "overloaded"
  /** A frame is missing: reconnect now. */
  | "gap"
  /** The page violated the protocol: reconnecting does not help. */
  | "malformed"
  | "window"
  | "too-large"
  | "version"
  /** The page is done; its session ends now. */
  | "closed"
  /** The gateway ended the session: start another. */
  | "ended";

interface Handshake {
  hello: Hello;
  welcome: Welcome;
  bye: Bye;
}

const SCHEMAS: { readonly [W in keyof Handshake]: Shape<Handshake[W]> } = {
  hello: HELLO,
  welcome: WELCOME,
  bye: BYE,
};

/**
 * Serializes a handshake frame.
 *
 * @example
 * ```ts source="./session.examples.ts#writeHandshake"
 * socket.send(writeHandshake("hello", { version: 1, received: 0 }));
 * ```
 */
export const writeHandshake = <W extends keyof Handshake>(word: W, value: Handshake[W]): string =>
  `${word} ${JSON.stringify(value)}`;

/**
 * Parses a handshake frame that starts with this word; undefined for any other frame.
 *
 * @example
 * ```ts source="./session.examples.ts#readHandshake"
 * const bye = readHandshake("bye", frame);
 * if (bye) show(`${bye.code}: ${bye.message}`);
 * ```
 *
 * @throws {VitrineError} `malformed` when what follows the word is wrong
 */
export function readHandshake<W extends keyof Handshake>(word: W, frame: string): Handshake[W] | undefined {
  if (!frame.startsWith(`${word} `)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(frame.slice(word.length + 1));
  } catch (cause) {
    throw new VitrineError("malformed", `the ${word} is not JSON`, { cause });
  }
  const decoded = decode(SCHEMAS[word], value, word);
  if (!decoded.ok) throw new VitrineError("malformed", decoded.message);
  return decoded.value;
}
