/**
 * Messages about models and their providers between a page and a gateway. No message to a page contains a key.
 *
 * @module
 */

/** Prices in US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** The prices of a request with more input tokens than `above`. */
  long?: { above: number; input: number; output: number } | undefined;
  /** The day of the price, `2026-07-01`. */
  asOf: string;
  /** The origin of the price, such as `models.dev`. */
  source: string;
}

/** The known facts about a model. Whatever is absent is unknown. */
export interface ModelFacts {
  /** Tokens that the model can read at most; the server may be configured to read fewer. */
  context?: number | undefined;
  price?: ModelPrice | undefined;
  /** Whether the model can call tools. */
  canCall?: boolean | undefined;
}

/** The estimated cost of one or several answers. */
export interface ModelCost {
  /** US dollars. */
  usd: number;
  /** The day of the oldest price that it was computed with. */
  asOf: string;
  /** Whether it lacks answers whose price is unknown. */
  isPartial?: boolean | undefined;
}

/** A selectable model. */
export interface ModelSummary extends ModelFacts {
  /** `provider/name`, such as `openai/gpt-5`. */
  id: string;
  label: string;
  /** Why it is unavailable and what to do; undefined if it is available. */
  problem?: string | undefined;
}

/** The available models and the current one. */
export interface ModelState {
  models: ModelSummary[];
  /** The `id` of the current model; undefined if tools are called manually. */
  current?: string | undefined;
  /** How to set up a model, if there is none. */
  help: string;
}

/** The API of a provider. `compatible` is OpenAI's chat completions API. */
export type ModelProviderType = "openai" | "anthropic" | "google" | "compatible";

/** A provider in the settings. */
export interface ModelProviderSummary {
  name: string;
  type: ModelProviderType;
  url: string;
  /**
   * Where its key is: `store` in the gateway's encrypted store, `environment` in a variable, `none` if it has none or lacks
   * it. The key itself never leaves the gateway.
   */
  key: "store" | "environment" | "none";
  /** Whether the settings file names it. Others come from environment variables. */
  isWritten: boolean;
  problem?: string | undefined;
}

/** The providers, and whether this user may change them. */
export interface ModelProviders {
  providers: ModelProviderSummary[];
  /** Why this user cannot change them; undefined if they can. */
  locked?: string | undefined;
}

/** A provider that a page adds or changes. */
export interface NewModelProvider {
  /** 1 to 32 of `a-z 0-9 _ -`. */
  name: string;
  type: ModelProviderType;
  /** The base URL; by default that of the provider's type, or the current one. */
  url?: string | undefined;
  /** Replaces the key; without it, the current one stays. Sent once, and stored encrypted. */
  key?: string | undefined;
}

/** A model server on this machine. */
export interface LocalModelServer {
  program: "Ollama" | "LM Studio" | "llama.cpp" | "vLLM";
  url: string;
  models: ({ name: string } & ModelFacts)[];
  /** The provider in the settings that has this address. */
  provider?: string | undefined;
}

/** The outcome of a test message. */
export interface ModelTest {
  /** The beginning of the answer. */
  text: string;
  /** Milliseconds until the end of the answer. */
  duration: number;
  usage?: ModelUsage | undefined;
  /** Whether the model called the offered tool with valid arguments. */
  canCall: boolean;
  /** Why there is no complete answer. */
  problem?: { code: string; message: string } | undefined;
}

/** Token counts. */
export interface ModelUsage {
  input: number;
  output: number;
  /** Undefined if no price is known. */
  cost?: ModelCost | undefined;
}

/** The user's choices for the answers of one conversation. */
export interface AnswerSettings {
  /** The `id` of the model; by default the selected one of the gateway. */
  model?: string | undefined;
  /** Instructions for the model, in addition to Vitrine's own; by default those of the gateway's settings. */
  system?: string | undefined;
  /** Between 0 and 2; by default that of the gateway's settings, or else the provider's. */
  temperature?: number | undefined;
}

/** Limits of {@link AnswerSettings} and of providers that a page enters. */
export const MODEL_INPUT_LIMITS = {
  /** Characters of the instructions. */
  system: 20_000,
  temperature: 2,
  /** Characters of a key, an address, and a model's id. */
  key: 4_000,
  url: 2_000,
  model: 300,
} as const;

/** Requests of a page about models, on channel `.`. */
export interface ModelRequests {
  "model/state": { params: Record<string, never>; result: ModelState };
  /** Selects the model that answers; without one, none does. */
  "model/choose": { params: { model?: string | undefined }; result: ModelState };
  /** Lists the providers. */
  "model/providers": { params: Record<string, never>; result: ModelProviders };
  /** Adds a provider, or changes one. */
  "model/save": { params: NewModelProvider; result: ModelProviders };
  /** Removes the key of a provider from the store, or the whole provider. */
  "model/forget": { params: { name: string; what: "key" | "provider" }; result: ModelProviders };
  /** Requests the models of a provider from its API. */
  "model/list": { params: { provider: string }; result: { models: ModelSummary[] } };
  /** Looks for model servers on the usual ports of this machine. */
  "model/detect": { params: Record<string, never>; result: { found: LocalModelServer[] } };
  /** Sends a test message to a model, and offers it a tool. */
  "model/test": { params: { model: string }; result: ModelTest };
}
