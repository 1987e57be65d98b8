/**
 * Models of the `ai` SDK, at the level of its providers. Each provider's library is loaded at the first
 * request to it: loading all of them takes longer than starting the gateway.
 *
 * @module
 */
import { createRequire } from "node:module";
import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import { providerFetch } from "./provider-fetch.js";
import type { ModelProviderSettings } from "./settings.js";

/** The library of each type of provider. Operators install the ones that they use. */
const LIBRARIES: Record<ModelProviderSettings["type"], string> = {
  openai: "@ai-sdk/openai",
  anthropic: "@ai-sdk/anthropic",
  google: "@ai-sdk/google",
  compatible: "@ai-sdk/openai-compatible",
};

const installed = new Map<string, boolean>();

/** Explains how to install a provider's library; undefined if it is installed. */
export function missingLibrary(type: ModelProviderSettings["type"]): string | undefined {
  const library = LIBRARIES[type];
  const isInstalled = installed.get(library) ?? canResolve(library);
  installed.set(library, isInstalled);
  return isInstalled ? undefined : `install its library (npm install ${library}), and restart`;
}

function canResolve(library: string): boolean {
  try {
    createRequire(import.meta.url).resolve(library);
    return true;
  } catch (error) {
    // A library without an entry point for `require` fails with another error, but is installed.
    return !(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND");
  }
}

export type SdkModel = ReturnType<OpenAICompatibleProvider["chatModel"]>;
/** A request to an SDK model. */
export type SdkRequest = Parameters<SdkModel["doStream"]>[0];
/** Provider data that must be sent back with earlier parts. */
export type SdkMetadata = NonNullable<SdkRequest["providerOptions"]>;

/**
 * Loads a model. Address and key always come from the settings: the libraries would read others from the
 * environment.
 */
export async function sdkModel(provider: ModelProviderSettings, name: string): Promise<SdkModel> {
  const { key = "", url } = provider;
  const options = { apiKey: key, baseURL: url, fetch: providerFetch(provider) };
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
