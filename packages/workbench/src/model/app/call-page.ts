/**
 * What this page remembers with a call: the gateway keeps it, and does not look into it.
 *
 * @module
 */
import { isFields } from "./foreign.js";

/** What is remembered of a call, for the page that shows it next. */
export interface CallPage {
  /** The name that the page gave it, before the gateway had one for it. */
  readonly key?: string | undefined;
  /** The host that its app believes it is in. */
  readonly profile?: string | undefined;
  /** The hash of the document that its app was shown with. */
  readonly document?: string | undefined;
  /** The person has closed its app. */
  readonly isClosed?: boolean | undefined;
}

/** What was remembered. What is something else, because another version of the page wrote it, is left out. */
export function readPage(value: unknown): CallPage {
  if (!isFields(value)) return {};
  const { key, profile, document, isClosed } = value;
  return {
    ...(isText(key) && { key }),
    ...(isText(profile) && { profile }),
    ...(isText(document) && { document }),
    ...(isClosed === true && { isClosed }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
