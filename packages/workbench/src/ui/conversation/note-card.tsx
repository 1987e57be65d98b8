/**
 * A note for the user in the conversation.
 *
 * @module
 */

import type { NoteItem } from "@vitrine/wire";
import { X } from "lucide-react";
import { Button } from "react-aria-components";

const LEVELS = {
  info: ["", "Note"],
  warning: ["warn", "Attention"],
  error: ["bad", "Problem"],
} as const;

/** A line of the page itself between messages. */
export function NoteCard({ item, onRemove }: { item: NoteItem; onRemove: () => void }) {
  const { level, text, at, code } = item;
  const [kind, word] = LEVELS[level];
  return (
    <article className={`note ${kind}`} aria-label={word}>
      <span className={`badge ${kind}`} aria-hidden="true">
        {word}
      </span>{" "}
      {/* A title would be read after the text, as if it were another sentence. */}
      <p data-code={code}>{text}</p>
      <time className="soft small" dateTime={new Date(at).toISOString()}>
        {new Date(at).toLocaleTimeString()}
      </time>
      <Button className="button quiet icon" aria-label="Remove this note" onPress={onRemove}>
        <X />
      </Button>
    </article>
  );
}
