/**
 * Requests the list of a provider's models: a local provider has those that somebody downloaded.
 *
 * @module
 */

import { isRecord } from "@vitrine/protocol";
import { failureOf } from "./failure.js";
import { ModelError } from "./model-error.js";
import type { ModelProviderSettings } from "./settings.js";

/** Timeout of the list in milliseconds. */
const LIST_TIMEOUT = 5_000;
/** Limits of the list: bytes, and number of models. */
const LIST_LIMIT = 1_000_000;
const MOST_MODELS = 200;

/**
 * The names of a provider's models, in order.
 *
 * @throws {ModelError}
 */
export async function listModels(
  provider: ModelProviderSettings,
  signal: AbortSignal = AbortSignal.timeout(LIST_TIMEOUT),
): Promise<string[]> {
  const { name, url, key } = provider;
  const context = { provider: name, model: "list", key, hasStarted: false };
  try {
    const response = await fetch(`${url}/models`, {
      headers: { accept: "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      redirect: "manual",
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw failureOf({ statusCode: response.status }, context);
    }
    return namesIn(await textOf(response), name);
  } catch (error) {
    if (signal.aborted)
      throw new ModelError(
        "model-unreachable",
        `${name} did not list its models in time; check that it is running`,
      );
    throw failureOf(error, context);
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > LIST_LIMIT) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function namesIn(text: string, provider: string): string[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    // Reported below.
  }
  const data = isRecord(list) ? list["data"] : undefined;
  if (!Array.isArray(data))
    throw new ModelError(
      "model-invalid",
      `${provider} does not list its models; check that its url is that of the API (most end with /v1), or list them as "models" in the settings`,
    );
  const names = data.flatMap((each: unknown) => {
    const id = isRecord(each) ? each["id"] : undefined;
    return typeof id === "string" && id.length <= 200 && /^[^\s\p{Cc}]+$/u.test(id) ? [id] : [];
  });
  return [...new Set(names)].sort().slice(0, MOST_MODELS);
}
