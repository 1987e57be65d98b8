/**
 * Reads small JSON documents of model servers.
 *
 * @module
 */

/** Maximum bytes of a document. */
export const JSON_LIMIT = 4_000_000;

/** The text of a response, up to a limit; longer text is cut, and is no valid JSON then. */
export async function limitedText(response: Response, limit: number = JSON_LIMIT): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > limit) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The value of a JSON text; undefined if it is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A whole number of at least 1; undefined for anything else. */
export const positiveInteger = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
