/**
 * Parsed settings of models.
 *
 * @module
 */

/** A provider of models. */
export interface ModelProviderSettings {
  /** The first part of `provider/model`. */
  name: string;
  /**
   * The API type. `compatible` is OpenAI's chat completions API, as in Ollama, llama.cpp, vLLM and LM Studio.
   */
  type: "openai" | "anthropic" | "google" | "compatible";
  /** The base URL. */
  url: string;
  /** With references resolved. Never log it. */
  key?: string | undefined;
  /** Why the provider is unavailable, and what to do: the key is missing. */
  problem?: string | undefined;
  /** Names of the models that can be selected; if undefined, the provider is asked for its list. */
  models?: readonly string[] | undefined;
}

/** The model to use, and its limits. */
export interface ModelSettings {
  /** `provider/model`: used until the user selects another; none by default. */
  use?: string | undefined;
  providers: ReadonlyMap<string, ModelProviderSettings>;
  limits: {
    /** Requests to the model in one turn. */
    rounds: number;
    /** Tokens of one turn, input and output. */
    tokens: number;
    /** Milliseconds of one turn. */
    time: number;
    /** Characters of one tool result that the model sees. */
    result: number;
    /** Characters of a conversation that the model is sent; the newest ones if it is longer. */
    context: number;
  };
}
