/**
 * The frames of a session: text, one message or a part of one in each.
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
 * Characters of one part of a message. Sizes are counted in characters everywhere in a session: that costs nothing, and
 * is never less than half of the bytes in memory, or a third of those on the wire.
 */
export const PART = 65_536;

/** What a frame counts for beside its text, so that a million empty ones are not free. */
export const FRAME_COST = 64;

/** Bytes that no frame exceeds: a part of three bytes for each character, and what stands before it. */
export const MAX_FRAME_BYTES = 3 * PART + 256;

/** The channel of the session itself; all others are views. */
export const MAIN_CHANNEL = ".";

/** A message, or a part of one. */
export interface MessageFrame {
  readonly seq: number;
  readonly ack: number;
  readonly channel: string;
  /** The message goes on in a later frame of its channel. */
  readonly more: boolean;
  readonly text: string;
}

/** What a frame says: a message, an acknowledgement, or a question or answer of a heartbeat. */
export type Frame = MessageFrame | { readonly ack: number } | "?" | "!";

const CHANNEL = /^(\.|[\w-]{1,64})$/;

/**
 * Whether this can be the name of a channel: `.`, or up to 64 letters, digits, `_` and `-`.
 *
 * @example
 * ```ts source="./session.examples.ts#isChannel"
 * isChannel("view-1"); // true
 * isChannel("view 1"); // false
 * ```
 */
export const isChannel = (name: string): boolean => CHANNEL.test(name);

/**
 * Writes a message, or a part of one, as a frame.
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
 * Reads a frame. The text of a message is not looked into.
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
  if (afterChannel < 0 || !isChannel(channel)) throw malformed("has no name of a channel in its third place");
  if (seq === 0) throw malformed("has the number 0: the first is 1");
  const text = frame.slice(afterChannel + 1);
  if (text.length > PART) throw malformed(`carries ${text.length} characters, which is more than ${PART}`);
  if (more && text === "") throw malformed("is an empty part of a message that goes on");
  return { seq, ack, channel, more, text };
}

const PLUS = 0x2b;
/** Digits of the largest number that JavaScript holds exactly. */
const MAX_DIGITS = 16;

/** Reads the digits between two places. One number is written in one way: no sign, no leading zero. */
function readNumber(frame: string, from: number, to: number): number {
  const length = to - from;
  let number = 0;
  let isNumber = length === 1 || (length > 1 && length <= MAX_DIGITS && frame.charCodeAt(from) !== 0x30);
  for (let at = from; isNumber && at < to; at++) {
    const digit = frame.charCodeAt(at) - 0x30;
    isNumber = digit >= 0 && digit <= 9;
    number = number * 10 + digit;
  }
  if (!isNumber || !Number.isSafeInteger(number)) throw malformed("does not begin with its numbers");
  return number;
}

/** Where the part of a text that begins here ends: never between the two halves of one character. */
export function endOfPart(text: string, from: number): number {
  const end = from + PART;
  if (end >= text.length) return text.length;
  const isHalf = (text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHalf ? end - 1 : end;
}

const malformed = (what: string): VitrineError => new VitrineError("malformed", `the frame ${what}`);
