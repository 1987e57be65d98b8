/**
 * A canonical text of JSON: sorted keys, no spaces.
 *
 * @module
 */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    Object(part) === part && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part as object).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
