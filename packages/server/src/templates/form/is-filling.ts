/**
 * Data that only fills a form, and data that says something else.
 *
 * @module
 */

/** Whether data has nothing but values of these fields: it fills them in, and says no more. */
export function isFilling(
  data: unknown,
  fields: readonly { readonly name: string }[],
): data is Readonly<Record<string, unknown>> | undefined | null {
  if (fields.length === 0 || typeof (data ?? {}) !== "object" || Array.isArray(data)) return false;
  return Object.keys(data ?? {}).every((name) => fields.some((field) => field.name === name));
}
