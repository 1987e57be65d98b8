/**
 * Models of the `ai` SDK, at the level of its providers. Each provider's library is loaded with the first request to it:
 * together they take longer than the gateway needs to start.
 *
 * @module
 */
import { createRequire } from "node:module";
import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import { providerFetch } from "./provider-fetch.js";
import type { ModelProviderSettings } from "./settings.js";

/** The library of each type of provider. Operators install those that they use. */
const LIBRARIES: Record<ModelProviderSettings["type"], string> = {
  openai: "@ai-sdk/openai",
  anthropic: "@ai-sdk/anthropic",
  google: "@ai-sdk/google",
  compatible: "@ai-sdk/openai-compatible",
};

const installed = new Map<string, boolean>();

/** Tells how to install a provider's library; undefined if it is installed. */
export function missingLibrary(type: ModelProviderSettings["type"]): string | undefined {
  const library = LIBRARIES[type];
  const isInstalled = installed.get(library) ?? canResolve(library);
  installed.set(library, isInstalled);
  return isInstalled ? undefined : `install its library (npm install ${library}), and start again`;
}

function canResolve(library: string): boolean {
  try {
    createRequire(import.meta.url).resolve(library);
    return true;
  } catch (error) {
    // A library without an entry point for `require` fails in another way, and is there.
    return !(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND");
  }
}

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
