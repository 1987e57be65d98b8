/**
 * The settings of models, after they were read.
 *
 * @module
 */

/** Whose models can be asked, and how. */
export interface ModelProviderSettings {
  /** Its name here: the first part of `provider/model`. */
  name: string;
  /** What it speaks. `compatible` is OpenAI's chat completions, as Ollama, llama.cpp, vLLM and LM Studio have it. */
  type: "openai" | "anthropic" | "google" | "compatible";
  /** The base URL. */
  url: string;
  /** Resolved. Never log it. */
  key?: string | undefined;
  /** Why it cannot be used, and what to do: there is no key. */
  problem?: string | undefined;
  /** Names of models that can be chosen; undefined: the provider is asked. */
  models?: readonly string[] | undefined;
}

/** The model that answers, and how far it may go. */
export interface ModelSettings {
  /** `provider/model`: the one that answers until a person chooses another; none by default. */
  use?: string | undefined;
  providers: ReadonlyMap<string, ModelProviderSettings>;
  limits: {
    /** Answers of the model in one turn. */
    rounds: number;
    /** Tokens of one turn, what it reads and what it writes. */
    tokens: number;
    /** Milliseconds of one turn. */
    time: number;
    /** Characters of one tool's result that it is shown. */
    result: number;
    /** Characters of a conversation that the model is sent: of what is longer, what is newest. */
    context: number;
  };
}
