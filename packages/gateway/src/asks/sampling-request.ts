/**
 * Parses sampling requests of servers and apps, and applies limits.
 *
 * @module
 */

import type { ModelMessage, ModelRequest } from "@vitrine/conversation";
import { Refusal, sizeOf } from "@vitrine/guard";
import { decode, HOST_END, type ImageContent, recordOf, type TextContent } from "@vitrine/protocol";
import type { SamplingQuestion } from "@vitrine/wire";
import { invalid, unusable } from "./ask-error.js";
import type { SamplingLimits } from "./limits.js";

/** A content block that models accept. */
type Block = TextContent | ImageContent;

/** A validated request. */
export interface SamplingRequest {
  readonly systemPrompt?: string | undefined;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: readonly Block[] }[];
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

const IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_TEMPERATURE = 2;
const MAX_STOP_SEQUENCES = 8;
const MAX_STOP_SEQUENCE = 200;
/** Approximate characters per token, and tokens per picture. */
const CHARACTERS = 4;
const PICTURE = 1_000;

/**
 * Parses the params of `sampling/createMessage`. The user chooses the model and the context, so the params
 * about them are ignored, as MCP allows.
 *
 * @throws {Refusal} `too-large`
 * @throws {VitrineError} −32602 for a malformed request, or one that needs more than text and pictures
 */
export function readSamplingRequest(params: unknown, limits: SamplingLimits): SamplingRequest {
  // First, because other checks traverse the value.
  if (sizeOf(params, limits.size) > limits.size) {
    const message = `sampling/createMessage: more than ${limits.size} characters, or nested too deep`;
    throw new Refusal("too-large", message);
  }
  const decoded = decode(HOST_END.requests["sampling/createMessage"], params, "params");
  if (!decoded.ok) throw invalid(decoded.message);
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, tools, toolChoice } = decoded.value;
  if ((tools && tools.length > 0) || toolChoice) {
    throw invalid("params.tools: tools are not supported; the capability sampling.tools is not declared");
  }
  if (messages.length === 0) throw invalid("params.messages must not be empty");
  if (messages.length > limits.messages) {
    throw invalid(`params.messages has ${messages.length} entries, but the maximum is ${limits.messages}`);
  }
  if (maxTokens < 1) throw invalid("params.maxTokens must be at least 1");
  if (temperature !== undefined && (temperature < 0 || temperature > MAX_TEMPERATURE)) {
    throw invalid(`params.temperature must be between 0 and ${MAX_TEMPERATURE}`);
  }
  const isShort = (text: string): boolean => text.length > 0 && text.length <= MAX_STOP_SEQUENCE;
  if (stopSequences && (stopSequences.length > MAX_STOP_SEQUENCES || !stopSequences.every(isShort))) {
    const most = `${MAX_STOP_SEQUENCES} of 1 to ${MAX_STOP_SEQUENCE} characters`;
    throw invalid(`params.stopSequences must have at most ${most}`);
  }
  return {
    messages: messages.map(({ role, content }, at) => ({
      role,
      content: [content].flat().map((block) => readBlock(block, role, `params.messages[${at}].content`)),
    })),
    maxTokens: Math.min(maxTokens, limits.maxTokens),
    ...(systemPrompt && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && stopSequences.length > 0 && { stopSequences }),
  };
}

/** The relevant members of a block, whose type was checked. */
interface AnyBlock {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
}

function readBlock(
  { type, text, data, mimeType }: AnyBlock,
  role: "user" | "assistant",
  path: string,
): Block {
  if (type === "text" && typeof text === "string") return { type, text };
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") {
    throw invalid(`${path}: the model accepts text and images, not "${type.slice(0, 50)}"`);
  }
  if (role !== "user") throw invalid(`${path}: an image must be in a user message`);
  if (!IMAGES.test(mimeType)) throw invalid(`${path}.mimeType must be image/png, jpeg, gif or webp`);
  if (!BASE64.test(data)) throw invalid(`${path}.data must be base64`);
  return { type: "image", data, mimeType };
}

/** The part that is shown to the user. */
export function shownOf({
  systemPrompt,
  messages,
  maxTokens,
  temperature,
  stopSequences,
}: SamplingRequest): Omit<SamplingQuestion, "id" | "server" | "app" | "model"> {
  return {
    ...(systemPrompt !== undefined && { systemPrompt }),
    messages: messages.map(({ role, content }) => ({ role, content: [...content] })),
    maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && { stopSequences: [...stopSequences] }),
  };
}

/**
 * Applies the user's answer to the request; undefined if they declined, or if the answer is invalid.
 *
 * @throws {VitrineError} if their changes are invalid
 */
export function answeredRequest(
  request: SamplingRequest,
  answer: unknown,
  limits: SamplingLimits,
): SamplingRequest | undefined {
  const said = recordOf(answer);
  if (said.answer !== "allow") return undefined;
  const { systemPrompt, messages, maxTokens } = said;
  if (systemPrompt === undefined && messages === undefined && maxTokens === undefined) return request;
  const edited = { ...request, ...defined({ systemPrompt, messages, maxTokens }) };
  try {
    return readSamplingRequest(edited, limits);
  } catch (error) {
    throw unusable((error as Error).message);
  }
}

const defined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Converts the request for the model. */
export function modelRequestOf(request: SamplingRequest): ModelRequest {
  const { systemPrompt, messages, maxTokens, temperature, stopSequences } = request;
  return {
    messages: messages.map(({ role, content }): ModelMessage => {
      if (role === "user") return { role, content };
      return { role, content: content.flatMap((block) => (block.type === "text" ? [block] : [])) };
    }),
    tools: [],
    maxTokens,
    ...(systemPrompt !== undefined && { system: systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && { stopSequences }),
  };
}

/** The approximate number of tokens of a text, if the provider reports no usage. */
export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS);

/** The approximate number of input tokens. */
export function tokensToRead({ systemPrompt = "", messages }: SamplingRequest): number {
  const blocks = messages.flatMap(({ content }) => content);
  return blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? tokensOf(block.text) : PICTURE),
    tokensOf(systemPrompt),
  );
}
