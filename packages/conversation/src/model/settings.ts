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
  /** Where the key comes from: for people who manage providers. */
  keyFrom?: "store" | "environment" | undefined;
  /** The name of the secret, if the key is in the store. */
  secret?: string | undefined;
  /** Whether the settings file names the provider. Others come from environment variables. */
  isWritten?: boolean | undefined;
  /**
   * If set, addresses are checked when the gateway connects: `false` allows public ones only, and `true` also those of
   * private networks. Undefined for an address that the operator wrote without it.
   */
  privateNetwork?: boolean | undefined;
  /** Why the provider is unavailable, and what to do: the key is missing. */
  problem?: string | undefined;
  /** Names of the models that can be selected; if undefined, the provider is asked for its list. */
  models?: readonly string[] | undefined;
  /** Whether `models` are only suggestions: any other model of the provider can be selected as well. */
  areSuggestions?: boolean | undefined;
}

/** The model to use, and its limits. */
export interface ModelSettings {
  /** `provider/model`: used until the user selects another; none by default. */
  use?: string | undefined;
  providers: ReadonlyMap<string, ModelProviderSettings>;
  /** Instructions for the model in conversations that have none of their own. */
  system?: string | undefined;
  /** The temperature in conversations that have none of their own; that of the provider by default. */
  temperature?: number | undefined;
  /** Whether the model writes the titles of conversations; true by default. */
  titles?: boolean | undefined;
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
