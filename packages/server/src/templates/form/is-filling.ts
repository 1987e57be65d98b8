/**
 * Distinguishes data that fills a form from other data.
 *
 * @module
 */

/** Whether data has only values of these fields. */
export function isFilling(
  data: unknown,
  fields: readonly { readonly name: string }[],
): data is Readonly<Record<string, unknown>> | undefined | null {
  if (fields.length === 0 || typeof (data ?? {}) !== "object" || Array.isArray(data)) return false;
  return Object.keys(data ?? {}).every((name) => fields.some((field) => field.name === name));
}
