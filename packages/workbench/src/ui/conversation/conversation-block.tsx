/**
 * Consecutive entries of the conversation, which may be drawn later.
 *
 * @module
 */
import { memo, startTransition, useEffect, useRef, useState } from "react";
import type { Item, PageCall } from "../../model/conversation/conversation.js";
import type { Workbench } from "../../model/workbench.js";
import type { DrawingQueue } from "./drawing-queue.js";
import { Entry } from "./entry.js";
import type { EntryBlock } from "./entry-blocks.js";
import type { PinPlace } from "./pin-places.js";

/** Props of a {@link ConversationBlock}. */
export interface ConversationBlockProps {
  workbench: Workbench;
  block: EntryBlock<Item>;
  /** Whether it is drawn at once. */
  isNeeded: boolean;
  queue: DrawingQueue;
  /** Places of its pinned apps. */
  places: ReadonlyMap<Item, PinPlace> | undefined;
}

/** A block of entries. Until it is drawn, it is an empty box of about its height. */
export const ConversationBlock = memo(
  ({ workbench, block, isNeeded, queue, places }: ConversationBlockProps) => {
    const box = useRef<HTMLDivElement>(null);
    const [isDrawn, setDrawn] = useState(isNeeded);
    // Screen readers do not read old entries aloud because they are drawn now.
    const [isOld] = useState(!isNeeded);
    if (isNeeded && !isDrawn) setDrawn(true);
    useEffect(() => {
      const { current } = box;
      if (isDrawn || !current) return undefined;
      return queue.add(current, (isUrgent) => {
        if (isUrgent) setDrawn(true);
        else startTransition(() => setDrawn(true));
      });
    }, [queue, isDrawn]);
    return (
      <div
        ref={box}
        className="conversation-block"
        data-waiting={!isDrawn || undefined}
        aria-live={isOld ? "off" : undefined}
      >
        {isDrawn &&
          block.entries.map((item) => (
            <Entry key={keyOf(item)} workbench={workbench} item={item} place={places?.get(item)} />
          ))}
      </div>
    );
  },
);

/** The name of an entry, which stays the same while the page shows it. */
export const keyOf = (item: Item): string => (item.kind === "call" ? item.key : item.id);

/** Whether a block has something that must be in the page: an app, or a call in progress. */
export const hasLiveCall = ({ entries }: EntryBlock<Item>): boolean =>
  entries.some((item) => item.kind === "call" && isLive(item));

const isLive = ({ hasApp, app, isOver }: PageCall): boolean => hasApp || app !== undefined || !isOver;
