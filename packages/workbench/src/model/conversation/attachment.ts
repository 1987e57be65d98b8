/**
 * Attachments of a message, and their limits.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";

/** A file in a message that is not sent yet. */
export interface Attachment {
  readonly id: number;
  readonly name: string;
  /** Characters that it takes in the message. */
  readonly size: number;
  readonly block: ContentBlock;
}

/** Limits of a message. An entry of a conversation has a million bytes at most. */
export const ATTACHMENT_LIMITS = {
  files: 10,
  /** Characters of all attachments, as they are sent. */
  size: 700_000,
  /** Pixels of the longer side of a picture; models scale larger ones down. */
  side: 1_568,
} as const;
