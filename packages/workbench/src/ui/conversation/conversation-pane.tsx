/**
 * The entries of the conversation, and the input field.
 *
 * @module
 */
import { memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { Item } from "../../model/conversation/conversation.js";
import type { Workbench } from "../../model/workbench.js";
import type { ChosenTool } from "../servers/servers-pane.js";
import { Boundary } from "../shell/boundary.js";
import { useObservable } from "../use-observable.js";
import { Announcer } from "./announcer.js";
import { Composer } from "./composer.js";
import { ContextChips } from "./context-chips.js";
import "./conversation.css";
import { prepareMarkdown } from "../markdown/load-markdown.js";
import { part } from "../part.js";
import { ConversationBlock, hasLiveCall, keyOf } from "./conversation-block.js";
import { ConversationHead } from "./conversation-head.js";
import { DrawingQueue } from "./drawing-queue.js";
import { EntryBlocks } from "./entry-blocks.js";
import { FirstSteps } from "./first-steps.js";
import { type PinPlace, pinPlaces, useIsWide } from "./pin-places.js";
import { Undo } from "./undo.js";
import { useNewest } from "./use-newest.js";

/** Loaded when it is opened. */
const FindBar = part("The search", async () => (await import("./find-bar.js")).FindBar);

/** Number of blocks at the end of the conversation that are drawn at once. */
const AT_ONCE = 2;

/** Props of a {@link ConversationPane}. */
export interface ConversationPaneProps {
  workbench: Workbench;
  /** A tool needs its form to be filled in first. */
  onForm: (tool: ChosenTool) => void;
}

/** The middle pane. */
export const ConversationPane = memo(({ workbench, onForm }: ConversationPaneProps) => {
  const { conversation } = workbench;
  useObservable(conversation);
  const list = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  /** The words that are found in the conversation; undefined while the bar is closed. */
  const [finding, setFinding] = useState<string>();
  // A question above its app stays in view, whatever follows below.
  // The empty page begins at its title.
  const isHeld = useCallback(
    () => workbench.isAskingInApp || workbench.conversation.items.length === 0,
    [workbench],
  );
  const questions = useCallback(
    (place: HTMLDivElement | null) => {
      workbench.questionPlace = place ?? undefined;
    },
    [workbench],
  );
  const { isAtEnd, toEnd } = useNewest(list, inner, isHeld);
  const { items, problem } = conversation;
  const own = items.filter((item) => (item.kind === "call" ? item.by === "person" : isOwnWord(item))).length;
  const before = useRef(0);
  // Scrolls to the user's own new entries, but not to messages of apps.
  useEffect(() => {
    if (own > before.current) toEnd();
    before.current = own;
  }, [own, toEnd]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation begins at its end, too.
  useEffect(() => {
    if (conversation.items.length > 0) toEnd();
  }, [conversation.id, toEnd]);
  const box = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(box);
  const { pinned } = conversation;
  const [blocks] = useState(() => new EntryBlocks(keyOf));
  const places = useMemo(() => (isWide ? pinPlaces(pinned.length) : []), [isWide, pinned.length]);
  const [queue] = useState(() => new DrawingQueue({ scroller: () => list.current, ready: prepareMarkdown }));
  const divided = blocks.divide(items);
  return (
    <div className="conversation" ref={box} data-pins={places.length > 0 || undefined}>
      <ConversationHead workbench={workbench} onFind={(words) => setFinding(words)} />
      {finding !== undefined && (
        <FindBar
          key={finding}
          inner={inner}
          queue={queue}
          start={finding}
          onClose={() => {
            setFinding(undefined);
            box.current?.querySelector<HTMLElement>(".find-button")?.focus();
          }}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <div className="conversation-list" ref={list} role="log" aria-label="Conversation" tabIndex={0}>
        <div className="conversation-inner" ref={inner} data-empty={items.length === 0 || undefined}>
          {divided.map((block, at) => (
            <ConversationBlock
              key={block.id}
              workbench={workbench}
              block={block}
              isNeeded={at >= divided.length - AT_ONCE || hasLiveCall(block)}
              queue={queue}
              places={placesIn(block.entries, pinned, places)}
            />
          ))}
          {/* The model's calls are the last entries: the question about one stands below it. */}
          {/* Read as a whole: a log reads the parts of a question in any order. */}
          <div className="conversation-questions" ref={questions} aria-live="assertive" aria-atomic="true" />
        </div>
        {items.length === 0 && (
          <Boundary name="First steps">
            <FirstSteps workbench={workbench} />
          </Boundary>
        )}
      </div>
      <div className="conversation-foot">
        {items.length > 0 && !isAtEnd && (
          <Button className="button to-newest" onPress={toEnd}>
            ↓ Newest
          </Button>
        )}
        {problem !== undefined && (
          <p className="problem" role="status">
            {problem}
          </p>
        )}
        <Undo conversation={conversation} />
        <Boundary name="Context for the model">
          <ContextChips contexts={conversation.contexts} agent={conversation.agents?.[0]} />
        </Boundary>
        <Boundary name="The field for messages">
          <Composer workbench={workbench} onForm={onForm} />
        </Boundary>
        <Announcer conversation={conversation} />
      </div>
    </div>
  );
});

/** The places of these entries; undefined if none of them is pinned. */
function placesIn(
  entries: readonly Item[],
  pinned: readonly Item[],
  places: readonly PinPlace[],
): ReadonlyMap<Item, PinPlace> | undefined {
  if (pinned.length === 0) return undefined;
  const found = pinned.flatMap((item, at): [Item, PinPlace][] => {
    const place = places[at];
    return place && entries.includes(item) ? [[item, place]] : [];
  });
  return found.length === 0 ? undefined : new Map(found);
}

const isOwnWord = (item: { kind: string; from?: unknown }): boolean =>
  item.kind === "user" && item.from === undefined;
