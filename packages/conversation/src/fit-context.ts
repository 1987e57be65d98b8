/**
 * Makes a conversation fit into what a model takes.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import type { ImagePart, ModelMessage, TextPart, ToolResultPart } from "./model/model.js";
import { cut } from "./result-text.js";

/** What is left of an old result. */
const SHORT = 1_000;
/** What a picture counts, about: models cut them into as many tokens. */
const PICTURE = 8_000;

const LEFT_OUT = "[Earlier parts of this conversation were left out: it has become too long.]";

/** What one app said. */
export type AppParts = readonly (TextPart | ImagePart)[];

/**
 * Messages that are no more than so many characters together. Old results are shortened first, then what was said first
 * is left out; each with a notice. What is left is in order: every result has its call. `lasting` is what apps have said
 * that still holds: where the message that told it is left out, or was removed, it stands at the beginning.
 */
export function fitContext(
  messages: readonly ModelMessage[],
  limit: number,
  lasting: readonly AppParts[] = [],
): ModelMessage[] {
  let { left, isLeftOut } = leaveOut(messages, limit);
  if (untold(left, lasting).length > 0) {
    // It needs room, too. With less of that, more may be left out.
    const room = limit - lengthOf({ role: "user", content: lasting.flat() });
    ({ left, isLeftOut } = leaveOut(messages, Math.max(room, limit / 2)));
  }
  const beginning: (TextPart | ImagePart)[] = isLeftOut ? [{ type: "text", text: LEFT_OUT }] : [];
  const told = beginWith([...beginning, ...untold(left, lasting).flat()], left);
  return lengthOfAll(told) > limit + LEFT_OUT.length
    ? told.map((message) => cutMessage(message, limit))
    : told;
}

/** The messages without what is oldest in them, as far as that can be left out. */
function leaveOut(
  messages: readonly ModelMessage[],
  limit: number,
): { left: ModelMessage[]; isLeftOut: boolean } {
  const left = [...messages];
  let total = lengthOfAll(left);
  for (let index = 0; index < left.length && total > limit; index++) {
    const message = left[index];
    // The last results are what the model was waiting for.
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
  // One turn alone is too long: its first rounds go, its question stays.
  for (;;) {
    const rounds = left.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
    const [first, second] = rounds;
    if (total <= limit || first === undefined || second === undefined) break;
    for (const message of left.splice(first, second - first)) total -= lengthOf(message);
    isLeftOut = true;
  }
  return { left, isLeftOut };
}

/** What apps have said, and these messages do not tell. */
function untold(messages: readonly ModelMessage[], lasting: readonly AppParts[]): readonly AppParts[] {
  if (lasting.length === 0) return lasting;
  const told = new Set<unknown>();
  for (const { content } of messages) for (const part of content) told.add(part);
  return lasting.filter((parts) => !parts.every((part) => told.has(part)));
}

/** Where the second turn begins: with what is said to the model after it has said something. */
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

/** The last means: each part gets no more than its share. */
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

/** Arguments are counted once, however often the model is asked. */
const counted = new WeakMap<object, number>();

function lengthOf(message: ModelMessage): number {
  let length = 0;
  for (const part of message.content) {
    if (part.type === "image") length += PICTURE;
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
