/**
 * Models of the `ai` SDK, at the level of its providers. Each provider's library is loaded with the first request to it:
 * together they take longer than the gateway needs to start.
 *
 * @module
 */
import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import type { ModelProviderSettings } from "../config/model-types.js";
import { providerFetch } from "./provider-fetch.js";

/** A model of the SDK. */
export type SdkModel = ReturnType<OpenAICompatibleProvider["chatModel"]>;
/** What it is asked. */
export type SdkRequest = Parameters<SdkModel["doStream"]>[0];
/** What a provider wants to have back with what it said. */
export type SdkMetadata = NonNullable<SdkRequest["providerOptions"]>;

/**
 * Loads one. Address and key are always the ones of the settings: the libraries would look for others in the environment.
 */
export async function sdkModel(provider: ModelProviderSettings, name: string): Promise<SdkModel> {
  const { key = "", url } = provider;
  const options = { apiKey: key, baseURL: url, fetch: providerFetch(provider.name) };
  switch (provider.type) {
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(options)(name);
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(options)(name);
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI(options)(name);
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ ...options, name: "compatible", includeUsage: true })(name);
    }
  }
}
