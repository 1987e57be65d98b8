/**
 * Reads the entries of providers' lists of models. Facts that an entry does not have stay unknown.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { ModelFacts } from "@vitrine/wire";
import type { ModelProviderSettings } from "./settings.js";
import { positiveInteger } from "./small-json.js";

/** A model in a provider's list. */
export interface ListedModel extends ModelFacts {
  readonly name: string;
}

/** Models that generate no text, by OpenAI's names. Its list does not say what a model is for. */
const NO_CHAT =
  /embedding|whisper|(^|-)tts|dall-e|moderation|-image|-audio|realtime|transcribe|sora|davinci|babbage|-instruct|-search-/;

/** A name that can be shown, and is not suspiciously long. */
const isName = (name: unknown): name is string =>
  typeof name === "string" && name.length <= 200 && /^[^\s\p{Cc}\p{Cf}]+$/u.test(name);

/** Reads one entry of the list; undefined if it is not a model for conversations. */
export function listedModel(
  entry: unknown,
  type: ModelProviderSettings["type"],
  today: string,
): ListedModel | undefined {
  if (!isRecord(entry)) return undefined;
  if (type === "google") return googleModel(entry);
  const { id } = entry;
  if (!isName(id) || (type === "openai" && NO_CHAT.test(id))) return undefined;
  return { name: id, ...(type === "compatible" && compatibleFacts(entry, today)) };
}

function googleModel(entry: Record<string, unknown>): ListedModel | undefined {
  const { name, inputTokenLimit, supportedGenerationMethods: methods } = entry;
  const short = typeof name === "string" ? name.replace(/^models\//, "") : undefined;
  if (!isName(short) || !Array.isArray(methods) || !methods.includes("generateContent")) return undefined;
  const context = positiveInteger(inputTokenLimit);
  return { name: short, ...(context !== undefined && { context }) };
}

/** The facts that OpenRouter, vLLM and llama.cpp add to an entry. */
function compatibleFacts(entry: Record<string, unknown>, today: string): ModelFacts {
  const { context_length: router, max_model_len: vllm, supported_parameters: parameters } = entry;
  const context = positiveInteger(router) ?? positiveInteger(vllm);
  const price = routerPrice(entry["pricing"], today);
  return {
    ...(context !== undefined && { context }),
    ...(price && { price }),
    ...(Array.isArray(parameters) && { canCall: parameters.includes("tools") }),
  };
}

/** OpenRouter's prices: dollars for one token, as text. A negative price means that it depends on the request. */
function routerPrice(pricing: unknown, today: string): ModelFacts["price"] {
  if (!isRecord(pricing)) return undefined;
  const [input, output] = [pricing["prompt"], pricing["completion"]].map((each) =>
    typeof each === "string" && /^\d+(\.\d+)?(e-?\d+)?$/i.test(each) ? Number(each) * 1_000_000 : undefined,
  );
  if (input === undefined || output === undefined) return undefined;
  return { input: rounded(input), output: rounded(output), asOf: today, source: "the provider" };
}

/** Without the last digits, which come from the conversion. */
const rounded = (price: number): number => Number(price.toPrecision(12));
