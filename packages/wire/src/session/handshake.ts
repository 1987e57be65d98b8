/**
 * How a connection becomes the carrier of a session: `hello` from the page, `welcome` or `bye` from the gateway.
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
  type Schema,
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
 * The first frame of a page. `session` and `key` name a session to go on with, `received` is the last number that came
 * in; `fresh` says that the page was loaded anew and knows nothing of what was said before.
 */
export type Hello = Infer<typeof HELLO>;

/**
 * The gateway's answer. `resumed` says whether the session went on; `epoch` names the gateway's process; `grace` is how
 * many milliseconds a session lives without a carrier. Keep `key`: it is another one after each fresh page.
 */
export type Welcome = Infer<typeof WELCOME>;

/** The last frame of a carrier, from either end, and why. */
export type Bye = Infer<typeof BYE>;

/** Codes of a gateway's `bye`, and what a page makes of them. */
export type ByeCode =
  /** Another page goes on with this session: begin one of your own. */
  | "taken-over"
  /** The gateway stops, or has too much to do: come again later. */
  | "stopping"
  | "overloaded"
  /** A frame is missing: come again now. */
  | "gap"
  /** What was sent is against the rules: coming again would not help. */
  | "malformed"
  | "window"
  | "too-large"
  | "version"
  /** The page is done; its session ends now. */
  | "closed"
  /** The session was ended by the gateway: begin another. */
  | "ended";

interface Handshake {
  hello: Hello;
  welcome: Welcome;
  bye: Bye;
}

const SCHEMAS: { readonly [W in keyof Handshake]: Schema<Handshake[W]> } = {
  hello: HELLO,
  welcome: WELCOME,
  bye: BYE,
};

/**
 * Writes a frame of the handshake.
 *
 * @example
 * ```ts source="./session.examples.ts#writeHandshake"
 * socket.send(writeHandshake("hello", { version: 1, received: 0 }));
 * ```
 */
export const writeHandshake = <W extends keyof Handshake>(word: W, value: Handshake[W]): string =>
  `${word} ${JSON.stringify(value)}`;

/**
 * Reads a frame of the handshake, if it begins with this word; undefined for any other frame.
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
