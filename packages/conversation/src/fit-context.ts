/**
 * Shortens a conversation to the context size of a model.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import type { ModelMessage, ToolResultPart, UserPart } from "./model/model.js";
import { cut } from "./result-text.js";

/** Characters that remain of an old result. */
const SHORT = 1_000;
/** Approximate characters that a picture counts for, by its number of tokens. */
const PICTURE = 8_000;
/** The same for each character of a PDF in Base64: a page has about 100 kB, and counts as its text and a picture. */
const PDF_CHARACTER = 0.15;

const LEFT_OUT = "[Earlier parts of this conversation were left out: it has become too long.]";

/** Message parts with the context of one app. */
export type AppParts = readonly UserPart[];

/**
 * Returns messages of at most `limit` characters in total. Old results are shortened first, then the oldest
 * messages are removed, each with a notice. The remaining messages are consistent: every result has its call.
 * `lasting` contains app contexts that are still valid: if the message that contained one is removed, it
 * moves to the beginning.
 */
export function fitContext(
  messages: readonly ModelMessage[],
  limit: number,
  lasting: readonly AppParts[] = [],
): ModelMessage[] {
  let { left, isLeftOut } = leaveOut(messages, limit);
  if (missingParts(left, lasting).length > 0) {
    // The contexts need space too, so more messages may have to go.
    const room = limit - lengthOf({ role: "user", content: lasting.flat() });
    ({ left, isLeftOut } = leaveOut(messages, Math.max(room, limit / 2)));
  }
  const beginning: UserPart[] = isLeftOut ? [{ type: "text", text: LEFT_OUT }] : [];
  const fitted = beginWith([...beginning, ...missingParts(left, lasting).flat()], left);
  return lengthOfAll(fitted) > limit + LEFT_OUT.length
    ? fitted.map((message) => cutMessage(message, limit))
    : fitted;
}

/** Removes the oldest parts of the messages as far as possible. */
function leaveOut(
  messages: readonly ModelMessage[],
  limit: number,
): { left: ModelMessage[]; isLeftOut: boolean } {
  const left = [...messages];
  let total = lengthOfAll(left);
  for (let index = 0; index < left.length && total > limit; index++) {
    const message = left[index];
    // The last results are the ones that the model waits for.
    if (message?.role !== "tool" || index === left.length - 1) continue;
    const shorter = { ...message, content: message.content.map((part) => shortened(part, SHORT)) };
    total += lengthOf(shorter) - lengthOf(message);
    left[index] = shorter;
  }
  let isLeftOut = false;
  while (total > limit) {
    const next = secondBeginning(left);
    if (next === undefined) break;
    for (const message of left.splice(0, next)) total -= lengthOf(message);
    isLeftOut = true;
  }
  // A single turn is too long: its first rounds are removed, its question stays.
  for (;;) {
    const rounds = left.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
    const [first, second] = rounds;
    if (total <= limit || first === undefined || second === undefined) break;
    for (const message of left.splice(first, second - first)) total -= lengthOf(message);
    isLeftOut = true;
  }
  return { left, isLeftOut };
}

/** The app contexts that these messages do not contain. */
function missingParts(messages: readonly ModelMessage[], lasting: readonly AppParts[]): readonly AppParts[] {
  if (lasting.length === 0) return lasting;
  const kept = new Set<unknown>();
  for (const { content } of messages) for (const part of content) kept.add(part);
  return lasting.filter((parts) => !parts.every((part) => kept.has(part)));
}

/** The index where the second turn starts: the first user message after an answer. */
function secondBeginning(messages: readonly ModelMessage[]): number | undefined {
  const index = messages.findIndex(
    ({ role }, at) => at > 0 && role === "user" && messages[at - 1]?.role !== "user",
  );
  return index < 0 ? undefined : index;
}

function beginWith(parts: AppParts, messages: ModelMessage[]): ModelMessage[] {
  if (parts.length === 0) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: parts }, ...messages];
  return [{ ...first, content: [...parts, ...first.content] }, ...rest];
}

/** Last resort: each part gets an equal share of the limit. */
function cutMessage(message: ModelMessage, limit: number): ModelMessage {
  if (message.role === "tool") {
    const share = Math.floor(limit / 2 / message.content.length);
    return { ...message, content: message.content.map((part) => shortened(part, share)) };
  }
  if (message.role === "assistant") return message;
  const share = Math.floor(limit / 4 / message.content.length);
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === "text" ? { ...part, text: cut(part.text, share) } : part,
    ),
  };
}

const shortened = (part: ToolResultPart, length: number): ToolResultPart => ({
  ...part,
  text: cut(part.text, length),
});

/** The size of arguments, computed once for all requests. */
const counted = new WeakMap<object, number>();

function lengthOf(message: ModelMessage): number {
  let length = 0;
  for (const part of message.content) {
    if (part.type === "image") length += PICTURE;
    else if (part.type === "file") length += Math.ceil(part.data.length * PDF_CHARACTER);
    else if (part.type === "call") {
      const size = counted.get(part.arguments) ?? sizeOf(part.arguments, 10_000_000);
      counted.set(part.arguments, size);
      length += size;
    } else length += part.text.length;
  }
  return length;
}

const lengthOfAll = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + lengthOf(message), 0);
