/**
 * The frames of a session: text, each with a message or a part of one.
 *
 * ```
 * <seq> <ack> <channel> <text>     the whole of a message, or its last part
 * <seq> <ack> <channel>+ <text>    a part of a message that goes on
 * - <ack>                          nothing but an acknowledgement
 * ? / !                            are you there / I am
 * ```
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/**
 * Characters of one part of a message. A session counts sizes in characters, which costs nothing. The count
 * is at least half of the bytes in memory, and a third of those on the wire.
 */
export const PART = 65_536;

/** Cost of a frame besides its text, so that a million empty ones are not free. */
export const FRAME_COST = 64;

/** Maximum bytes of a frame: a part with three bytes per character, and the header. */
export const MAX_FRAME_BYTES = 3 * PART + 256;

/** The channel of the session itself; all others are views. */
export const MAIN_CHANNEL = ".";

/** A message, or a part of one. */
export interface MessageFrame {
  readonly seq: number;
  readonly ack: number;
  readonly channel: string;
  /** Whether the message continues in a later frame of its channel. */
  readonly more: boolean;
  readonly text: string;
}

/** A frame: a message, an acknowledgement, or a heartbeat's ping or pong. */
export type Frame = MessageFrame | { readonly ack: number } | "?" | "!";

const CHANNEL = /^(\.|[\w-]{1,64})$/;

/**
 * Whether this is a valid channel name: `.`, or up to 64 letters, digits, `_` and `-`.
 *
 * @example
 * ```ts source="./session.examples.ts#isChannel"
 * isChannel("view-1"); // true
 * isChannel("view 1"); // false
 * ```
 */
export const isChannel = (name: string): boolean => CHANNEL.test(name);

/**
 * Serializes a message frame.
 *
 * @example
 * ```ts source="./session.examples.ts#writeFrame"
 * writeFrame({ seq: 7, ack: 3, channel: "view-1", more: false, text: '{"jsonrpc":"2.0"}' });
 * // '7 3 view-1 {"jsonrpc":"2.0"}'
 * ```
 */
export const writeFrame = ({ seq, ack, channel, more, text }: MessageFrame): string =>
  `${seq} ${ack} ${channel}${more ? "+ " : " "}${text}`;

/**
 * Parses a frame. The text of a message is not parsed.
 *
 * @example
 * ```ts source="./session.examples.ts#parseFrame"
 * parseFrame("- 12"); // { ack: 12 }
 * parseFrame("7 3 view-1+ {"); // { seq: 7, ack: 3, channel: "view-1", more: true, text: "{" }
 * ```
 *
 * @throws {VitrineError} `malformed`
 */
export function parseFrame(frame: string): Frame {
  if (frame === "?" || frame === "!") return frame;
  const afterSeq = frame.indexOf(" ");
  if (afterSeq === 1 && frame.startsWith("-")) return { ack: readNumber(frame, 2, frame.length) };
  const seq = readNumber(frame, 0, afterSeq);
  const afterAck = frame.indexOf(" ", afterSeq + 1);
  const ack = readNumber(frame, afterSeq + 1, afterAck);
  const afterChannel = frame.indexOf(" ", afterAck + 1);
  const more = frame.charCodeAt(afterChannel - 1) === PLUS;
  const channel = frame.slice(afterAck + 1, afterChannel - (more ? 1 : 0));
  if (afterChannel < 0 || !isChannel(channel)) throw malformed("has no channel name in third position");
  if (seq === 0) throw malformed("has the number 0");
  const text = frame.slice(afterChannel + 1);
  if (text.length > PART) throw malformed(`has more than ${PART} characters`);
  if (more && text === "") throw malformed("is an empty part of an unfinished message");
  return { seq, ack, channel, more, text };
}

const PLUS = 0x2b;
/** Digits of the largest integer that JavaScript represents exactly. */
const MAX_DIGITS = 16;

/** Parses the digits between two positions. A number has only one form: no sign, no leading zero. */
function readNumber(frame: string, from: number, to: number): number {
  const length = to - from;
  let number = 0;
  let isNumber = length === 1 || (length > 1 && length <= MAX_DIGITS && frame.charCodeAt(from) !== 0x30);
  for (let at = from; isNumber && at < to; at++) {
    const digit = frame.charCodeAt(at) - 0x30;
    isNumber = digit >= 0 && digit <= 9;
    number = number * 10 + digit;
  }
  if (!isNumber || !Number.isSafeInteger(number)) throw malformed("does not start with its numbers");
  return number;
}

/** The end of a part that starts here, never inside a surrogate pair. */
export function endOfPart(text: string, from: number): number {
  const end = from + PART;
  if (end >= text.length) return text.length;
  const isHalf = (text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHalf ? end - 1 : end;
}

const malformed = (what: string): VitrineError => new VitrineError("malformed", `the frame ${what}`);
