/**
 * Data that this page stores with a call; the gateway does not read it.
 *
 * @module
 */
import { isFields } from "./foreign.js";

/** The stored data of a call, for the page that shows it next. */
export interface CallPage {
  /** The page's key, from before the gateway assigned an id. */
  readonly key?: string | undefined;
  /** The profile of its app. */
  readonly profile?: string | undefined;
  /** The hash of the document that its app showed. */
  readonly document?: string | undefined;
  /** Whether the user has closed its app. */
  readonly isClosed?: boolean | undefined;
  /** Whether its app is pinned beside the conversation. */
  readonly isPinned?: boolean | undefined;
  /** Whether new calls of its tool update the pinned app. */
  readonly isFollowing?: boolean | undefined;
  /** The id of the later call that its app shows. */
  readonly latest?: string | undefined;
  /** The id of the call whose pinned app shows this one. */
  readonly pin?: string | undefined;
}

/** Parses the stored data. Unknown values from another version of the page are dropped. */
export function readPage(value: unknown): CallPage {
  if (!isFields(value)) return {};
  const { key, profile, document, isClosed, isPinned, isFollowing, latest, pin } = value;
  return {
    ...(isText(key) && { key }),
    ...(isText(profile) && { profile }),
    ...(isText(document) && { document }),
    ...(isClosed === true && { isClosed }),
    ...(isPinned === true && { isPinned }),
    ...(isFollowing === true && { isFollowing }),
    ...(isText(latest) && { latest }),
    ...(isText(pin) && { pin }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
