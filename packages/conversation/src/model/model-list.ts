/**
 * Requests the list of a provider's models: a local provider has those that somebody downloaded.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import { failureOf } from "./failure.js";
import { type ListedModel, listedModel } from "./listed-model.js";
import { ModelError } from "./model-error.js";
import { tableFacts } from "./price-table.js";
import { addressFetch } from "./provider-fetch.js";
import type { ModelProviderSettings } from "./settings.js";
import { limitedText, parsedJson } from "./small-json.js";

/** Timeout of the list in milliseconds. */
const LIST_TIMEOUT = 5_000;
/** Maximum number of models. OpenRouter has several hundred. */
const MOST_MODELS = 1_000;

/**
 * A provider's models, by name, with the facts of its list and of the price table.
 *
 * @throws {ModelError}
 */
export async function listModels(
  provider: ModelProviderSettings,
  signal: AbortSignal = AbortSignal.timeout(LIST_TIMEOUT),
): Promise<ListedModel[]> {
  const { name, key } = provider;
  const context = { provider: name, model: "list", key, hasStarted: false, hasFiles: false };
  const { url, headers } = listRequest(provider);
  try {
    const send = addressFetch(provider);
    const response = await send(url, { headers: { accept: "application/json", ...headers }, signal });
    if (!response.ok) {
      const body = await limitedText(response);
      throw failureOf({ statusCode: response.status, responseBody: body }, context);
    }
    return modelsIn(await limitedText(response), provider);
  } catch (error) {
    if (signal.aborted)
      throw new ModelError(
        "model-unreachable",
        `${name} did not list its models in time; check that it is running`,
      );
    throw failureOf(error, context);
  }
}

/** Each type has its own header for the key. */
function listRequest({ type, url, key }: ModelProviderSettings): {
  url: string;
  headers: Record<string, string>;
} {
  switch (type) {
    case "anthropic":
      return {
        url: `${url}/models?limit=1000`,
        headers: { "anthropic-version": "2023-06-01", ...(key !== undefined && { "x-api-key": key }) },
      };
    case "google":
      return {
        url: `${url}/models?pageSize=1000`,
        headers: { ...(key !== undefined && { "x-goog-api-key": key }) },
      };
    default:
      return {
        url: `${url}/models`,
        headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      };
  }
}

function modelsIn(text: string, provider: ModelProviderSettings): ListedModel[] {
  const list = parsedJson(text);
  const data = isRecord(list) ? list[provider.type === "google" ? "models" : "data"] : undefined;
  if (!Array.isArray(data))
    throw new ModelError(
      "model-invalid",
      `${provider.name} does not list its models; check that its url is that of the API (most end with /v1), or list them as "models" in the settings`,
    );
  const today = new Date().toISOString().slice(0, 10);
  const models = new Map<string, ListedModel>();
  for (const entry of data) {
    const model = listedModel(entry, provider.type, today);
    if (model) models.set(model.name, { ...tableFacts(provider, model.name), ...model });
    if (models.size === MOST_MODELS) break;
  }
  return [...models.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
