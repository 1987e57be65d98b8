/**
 * What a model is asked on behalf of a server or an app: read, checked, and cut to its limits.
 *
 * @module
 */

import type { ModelMessage, ModelRequest } from "@vitrine/conversation";
import { Refusal, sizeOf } from "@vitrine/guard";
import { decode, HOST_END, type ImageContent, recordOf, type TextContent } from "@vitrine/protocol";
import type { SamplingQuestion } from "@vitrine/wire";
import { invalid, unusable } from "./ask-error.js";
import type { SamplingLimits } from "./limits.js";

/** A block that a model can be given. */
type Block = TextContent | ImageContent;

/** What is asked, with nothing in it that nobody looked at. */
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
/** Characters of text that are about one token, and tokens that are about one picture. */
const CHARACTERS = 4;
const PICTURE = 1_000;

/**
 * Reads the params of `sampling/createMessage`. Which model, and with which context, is the person's to choose: what the
 * params say of that is passed over, as MCP allows.
 *
 * @throws {Refusal} `too-large`
 * @throws {VitrineError} −32602 for what is no such request, or wants more than text, pictures and an answer
 */
export function readSamplingRequest(params: unknown, limits: SamplingLimits): SamplingRequest {
  // Before anything that walks through it.
  if (sizeOf(params, limits.size) > limits.size) {
    const message = `sampling/createMessage: more than ${limits.size} characters, or nested too deep`;
    throw new Refusal("too-large", message);
  }
  const decoded = decode(HOST_END.requests["sampling/createMessage"], params, "params");
  if (!decoded.ok) throw invalid(decoded.message);
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, tools, toolChoice } = decoded.value;
  if ((tools && tools.length > 0) || toolChoice) {
    throw invalid("params.tools: tools cannot be used here; sampling.tools is not among the capabilities");
  }
  if (messages.length === 0) throw invalid("params.messages: there must be one at least");
  if (messages.length > limits.messages) {
    throw invalid(`params.messages: there are ${messages.length}, and ${limits.messages} at most may be`);
  }
  if (maxTokens < 1) throw invalid("params.maxTokens must be 1 at least");
  if (temperature !== undefined && (temperature < 0 || temperature > MAX_TEMPERATURE)) {
    throw invalid(`params.temperature must be between 0 and ${MAX_TEMPERATURE}`);
  }
  const isShort = (text: string): boolean => text.length > 0 && text.length <= MAX_STOP_SEQUENCE;
  if (stopSequences && (stopSequences.length > MAX_STOP_SEQUENCES || !stopSequences.every(isShort))) {
    const most = `${MAX_STOP_SEQUENCES} of 1 to ${MAX_STOP_SEQUENCE} characters`;
    throw invalid(`params.stopSequences: at most ${most} may be`);
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

/** A block, as far as it matters here: which kinds there are was checked. */
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
    throw invalid(`${path}: the model takes text and images, and no "${type.slice(0, 50)}"`);
  }
  if (role !== "user") throw invalid(`${path}: an image must be in a message of the user's`);
  if (!IMAGES.test(mimeType)) throw invalid(`${path}.mimeType must be image/png, jpeg, gif or webp`);
  if (!BASE64.test(data)) throw invalid(`${path}.data must be base64`);
  return { type: "image", data, mimeType };
}

/** What the person is shown of it. */
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
 * What is left to be asked when the person has answered; undefined if they said no, and what is no answer is a no.
 *
 * @throws {VitrineError} when what they wrote cannot be asked
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

/** The same in the words of the model port. */
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

/** About how many tokens a text is: for what no provider counted. */
export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS);

/** About how many tokens the model has to read. */
export function tokensToRead({ systemPrompt = "", messages }: SamplingRequest): number {
  const blocks = messages.flatMap(({ content }) => content);
  return blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? tokensOf(block.text) : PICTURE),
    tokensOf(systemPrompt),
  );
}
