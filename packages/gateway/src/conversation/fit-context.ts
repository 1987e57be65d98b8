/**
 * Makes a conversation fit into what a model takes.
 *
 * @module
 */
import { sizeOf } from "@vitrine/host";
import type { ModelMessage, ToolResultPart } from "../model/model.js";
import { cut } from "./result-text.js";

/** What is left of an old result. */
const SHORT = 1_000;
/** What a picture counts, about: models cut them into as many tokens. */
const PICTURE = 8_000;

const LEFT_OUT = "[Earlier parts of this conversation were left out: it has become too long.]";

/**
 * Messages that are no more than so many characters together. Old results are shortened first, then what was said first
 * is left out; each with a notice. What is left is in order: every result has its call.
 */
export function fitContext(messages: readonly ModelMessage[], limit: number): ModelMessage[] {
  let total = messages.reduce((sum, message) => sum + lengthOf(message), 0);
  if (total <= limit) return [...messages];
  const fitting = [...messages];
  for (let index = 0; index < fitting.length && total > limit; index++) {
    const message = fitting[index];
    // The last results are what the model was waiting for.
    if (message?.role !== "tool" || index === fitting.length - 1) continue;
    const shorter = { ...message, content: message.content.map((part) => shortened(part, SHORT)) };
    total += lengthOf(shorter) - lengthOf(message);
    fitting[index] = shorter;
  }
  let isLeftOut = false;
  while (total > limit) {
    const next = secondBeginning(fitting);
    if (next === undefined) break;
    for (const message of fitting.splice(0, next)) total -= lengthOf(message);
    isLeftOut = true;
  }
  // One turn alone is too long: its first rounds go, its question stays.
  for (;;) {
    const rounds = fitting.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
    const [first, second] = rounds;
    if (total <= limit || first === undefined || second === undefined) break;
    for (const message of fitting.splice(first, second - first)) total -= lengthOf(message);
    isLeftOut = true;
  }
  const told = isLeftOut ? withNotice(fitting) : fitting;
  return total > limit ? told.map((message) => cutMessage(message, limit)) : told;
}

/** Where the second turn begins: with what is said to the model after it has said something. */
function secondBeginning(messages: readonly ModelMessage[]): number | undefined {
  const index = messages.findIndex(
    ({ role }, at) => at > 0 && role === "user" && messages[at - 1]?.role !== "user",
  );
  return index < 0 ? undefined : index;
}

function withNotice(messages: readonly ModelMessage[]): ModelMessage[] {
  const notice = { type: "text", text: LEFT_OUT } as const;
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: [notice] }, ...messages];
  return [{ ...first, content: [notice, ...first.content] }, ...rest];
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
