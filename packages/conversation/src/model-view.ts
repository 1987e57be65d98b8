/**
 * Converts the entries of a conversation into messages for the model. Stateless.
 *
 * @module
 */

import { fileName } from "@vitrine/guard";
import type { ContentBlock } from "@vitrine/protocol";
import type { AppContext, CallItem, ConversationItem, ModelItem, SpeakingApp, UserItem } from "@vitrine/wire";
import { type AppParts, fitContext } from "./fit-context.js";
import type { ModelMessage, TextPart, ToolCallPart, UserPart } from "./model/model.js";
import { cut, jsonOf, resultText, wordsOf } from "./result-text.js";
import type { NamedTools } from "./tool-names.js";

/** Options of {@link modelMessages}. */
export interface ModelViewOptions {
  readonly items: readonly ConversationItem[];
  /** User entries that are still queued. */
  readonly waiting: ReadonlySet<string>;
  /** The app contexts that were sent with each user entry. */
  readonly sent: ReadonlyMap<string, AppParts>;
  /** The app contexts that were sent and are still valid. */
  readonly lasting: readonly AppParts[];
  readonly names: Pick<NamedTools, "nameOf">;
  /** The provider's id of a call. */
  idOf(call: CallItem): string;
  /** Characters: of one result, and in total. */
  readonly limits: { readonly result: number; readonly context: number };
}

/** The messages of a request: every turn is followed by its answers, whatever was added in between. */
export function modelMessages(options: ModelViewOptions): ModelMessage[] {
  const { items, waiting, limits, lasting } = options;
  const users = new Set(items.flatMap((item) => (item.kind === "user" ? [item.id] : [])));
  const answers = groups(items, (item) => (item.kind === "model" ? item.answers : undefined));
  const calls = groups(items, (item) =>
    item.kind === "call" && item.by === "model" ? item.turn : undefined,
  );
  const models = new Set(items.flatMap((item) => (item.kind === "model" ? [item.id] : [])));
  const sent = new Set<string>();
  const messages: ModelMessage[] = [];
  const answer = (turn: string, item?: ModelItem): void => {
    if (sent.has(turn)) return;
    sent.add(turn);
    messages.push(...answerMessages(item, calls.get(turn) ?? [], options));
  };
  for (const item of items) {
    if (item.kind === "user" && !waiting.has(item.id)) {
      messages.push(userMessage(item, options));
      for (const each of answers.get(item.id) ?? []) if (each.kind === "model") answer(each.id, each);
    } else if (item.kind === "model" && !(item.answers && users.has(item.answers))) answer(item.id, item);
    else if (item.kind === "call" && item.by === "person") messages.push(...byHand(item, options));
    // The answer that contained the call was removed.
    else if (item.kind === "call" && item.turn && !models.has(item.turn)) answer(item.turn);
  }
  return fitContext(messages, limits.context, lasting);
}

function groups(
  items: readonly ConversationItem[],
  keyOf: (item: ConversationItem) => string | undefined,
): Map<string, ConversationItem[]> {
  const found = new Map<string, ConversationItem[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return found;
}

function userMessage({ id, content, from }: UserItem, { sent }: ModelViewOptions): ModelMessage {
  const parts: UserPart[] = [...(sent.get(id) ?? [])];
  parts.push(
    ...(from
      ? fenced("app-message", `from=${attribute(nameOfApp(from))}`, partsOf(content))
      : partsOf(content)),
  );
  return { role: "user", content: parts.length > 0 ? parts : [{ type: "text", text: "(nothing)" }] };
}

/** The model's text, its calls, and their results. */
function answerMessages(
  item: ModelItem | undefined,
  calls: readonly ConversationItem[],
  options: ModelViewOptions,
): ModelMessage[] {
  const { names, idOf, limits } = options;
  const ended = calls.filter(isOver);
  const parts: (TextPart | ToolCallPart)[] = [];
  if (item?.text.trim()) parts.push({ type: "text", text: item.text });
  const named = ended.map((call) => ({ call, id: idOf(call), name: names.nameOf(call) }));
  for (const { call, id, name } of named) parts.push({ type: "call", id, name, arguments: call.input ?? {} });
  if (parts.length === 0) return [];
  if (named.length === 0) return [{ role: "assistant", content: parts }];
  return [
    { role: "assistant", content: parts },
    {
      role: "tool",
      content: named.map(({ call, id, name }) => ({
        type: "result" as const,
        id,
        name,
        ...resultText(call, limits.result),
      })),
    },
  ];
}

/** Describes a call that the model did not make itself. */
function byHand(call: CallItem, { limits }: ModelViewOptions): ModelMessage[] {
  if (!isOver(call)) return [];
  const { text, isError } = resultText(call, limits.result);
  const what = `[The user called the tool ${JSON.stringify(call.tool)} of the server ${JSON.stringify(call.server)} with ${jsonOf(call.input ?? {}, limits.result)}. ${isError ? "It failed" : "Its result"}:]`;
  const [result] = fenced("tool-result", `server=${attribute(call.server)}`, [{ type: "text", text }]);
  return [{ role: "user", content: [{ type: "text", text: harmless(what) }, ...(result ? [result] : [])] }];
}

const isOver = (item: ConversationItem): item is CallItem =>
  item.kind === "call" && item.state !== "writing" && item.state !== "running";

/** Pictures that all models with pictures read. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

/** Converts content: pictures and PDFs stay, everything else becomes text. */
function partsOf(content: readonly ContentBlock[]): UserPart[] {
  return content.flatMap((block): UserPart[] => {
    if (block.type === "image") return [{ type: "image", data: block.data, mimeType: block.mimeType }];
    if (block.type === "resource" && "blob" in block.resource) {
      const { blob: data, mimeType = "" } = block.resource;
      if (PICTURES.test(mimeType)) return [{ type: "image", data, mimeType }];
      if (mimeType === "application/pdf")
        return [{ type: "file", data, mimeType, name: fileName({ resource: block.resource }) }];
    }
    const text = wordsOf(block);
    // Providers reject empty text.
    return text.trim() ? [{ type: "text", text }] : [];
  });
}

const nameOfApp = ({ title, server }: Pick<SpeakingApp, "title" | "server">): string =>
  `the app ${JSON.stringify(title)} of the server ${JSON.stringify(server)}`;

/** A context, and whether the model knows its content. */
export interface ContextToReport {
  readonly context: AppContext;
  /** Whether the only news is that the app was closed. */
  readonly isKnown: boolean;
}

/** The context of an app, in its own block. */
export function contextParts({ context, isKnown }: ContextToReport, limit: number): AppParts {
  const head = `<app-context from=${attribute(nameOfApp(context))}${context.isStale ? ' state="closed"' : ""}>`;
  const tail = "</app-context>";
  const stale = context.isStale ? "The app is closed: its context may be outdated.\n" : "";
  if (isKnown) return [{ type: "text" as const, text: `${head}\n${stale}${tail}` }];
  const parts = partsOf(context.content ?? []);
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (context.structuredContent) texts.push(jsonOf(context.structuredContent, limit));
  if (texts.length === 0 && parts.length === 0) texts.push("(now empty)");
  const inside = harmless(cut(texts.join("\n"), limit));
  return [
    { type: "text" as const, text: `${head}\n${stale}${inside}\n${tail}` },
    ...parts.filter((part) => part.type !== "text"),
  ];
}

/** Escapes the tags that mark the author of a text, so that no text can open or close one. */
const harmless = (text: string): string =>
  text.replace(/<(\/?(?:app-context|app-message|tool-result))/gi, "‹$1");

/** Text that is not the user's, marked as such, followed by its pictures. */
function fenced(tag: string, attributes: string, parts: readonly UserPart[]): UserPart[] {
  const words = parts.flatMap((part) => (part.type === "text" ? [harmless(part.text)] : []));
  return [
    { type: "text", text: `<${tag} ${attributes}>\n${words.join("\n")}\n</${tag}>` },
    ...parts.filter((part) => part.type !== "text"),
  ];
}

/** Escapes an app's title so that it cannot close the attribute. */
const attribute = (text: string): string => `"${text.replace(/["<>\n]/g, "'")}"`;
