/**
 * Removes values from an entry that the page which asked for it does not know.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { ServerDraft } from "@vitrine/wire";
import { isObject } from "../config/reader.js";
import type { WrittenEntry } from "./setup-host.js";

/** Keys whose values a page never gets. */
const WRITE_ONLY = ["env", "headers", "oauth"];
const KEPT = "(kept)";

/** The write-only values that came with a request. */
export type SentValues = Readonly<Record<string, unknown>>;

/** The values of a draft that its page has written as texts. */
export const sentInDraft = (draft: ServerDraft | undefined): SentValues => ({
  env: textsOf(draft?.env),
  headers: textsOf(draft?.headers),
});

const textsOf = (values: ServerDraft["env"] = {}): SentValues =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => ("text" in value ? [[name, value.text]] : [])),
  );

/**
 * The entry for the page: values that neither came with its request nor refer to its new secrets are “(kept)”.
 */
export function shownEntry(
  entry: WrittenEntry,
  sent: SentValues,
  isNewSecret: (text: string) => boolean,
): { entry: WrittenEntry; isComplete: boolean } {
  const shown = Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      WRITE_ONLY.includes(key) ? known(value, sent[key], isNewSecret) : value,
    ]),
  );
  return { entry: shown, isComplete: isDeepStrictEqual(shown, entry) };
}

function known(value: unknown, sent: unknown, isNewSecret: (text: string) => boolean): unknown {
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        known(each, isObject(sent) && Object.hasOwn(sent, name) ? sent[name] : undefined, isNewSecret),
      ]),
    );
  if (sent !== undefined && isDeepStrictEqual(value, sent)) return value;
  return typeof value === "string" && isNewSecret(value) ? value : KEPT;
}
