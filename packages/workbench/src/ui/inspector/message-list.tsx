/**
 * A virtualized list of messages.
 *
 * @module
 */
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { VList, type VListHandle } from "virtua";
import type { LoggedMessage } from "../../model/app/app-log.js";
import { duration, moment, size } from "./format.js";

/** Props of a {@link MessageList}. */
export interface MessageListProps {
  messages: readonly LoggedMessage[];
  selected: LoggedMessage | undefined;
  /** The answer to the selected message, or its request. */
  partner: LoggedMessage | undefined;
  onSelect: (message: LoggedMessage) => void;
  /** Text for an empty list. */
  empty: string;
}

const KEYS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  End: Number.POSITIVE_INFINITY,
  Home: Number.NEGATIVE_INFINITY,
};
/** Pixels from the end within which the list follows its newest. */
const NEAR = 8;

/** The height of a row, as in the style sheet. */
const rowHeight = (): number => (matchMedia("(max-width: 759px)").matches ? 44 : 26);

const idOf = ({ n }: LoggedMessage): string => `message-${n}`;

/** The list. It follows the newest message, unless another one is selected. */
export function MessageList({ messages, selected, partner, onSelect, empty }: MessageListProps) {
  const list = useRef<VListHandle>(null);
  const [follows, setFollows] = useState(true);
  const [height] = useState(rowHeight);
  const at = selected ? indexOf(messages, selected) : -1;
  useEffect(() => {
    // A list that fits has nothing to follow: its end is in view.
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    if (!follows && scrollSize <= viewportSize) setFollows(true);
    if (follows && messages.length > 0) list.current?.scrollToIndex(messages.length - 1, { align: "end" });
  }, [messages, follows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is selected, not when its place changes.
  useEffect(() => {
    if (at >= 0) list.current?.scrollToIndex(at, { align: "nearest" });
  }, [selected]);

  const choose = (index: number): void => {
    const message = messages[Math.min(Math.max(index, 0), messages.length - 1)];
    if (!message) return;
    setFollows(message === messages.at(-1));
    onSelect(message);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(at < 0 ? (step > 0 ? 0 : messages.length - 1) : at + step);
  };
  const onClick = (event: MouseEvent): void => {
    const row = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (row) choose(Number(row.dataset["index"]));
  };
  const onScroll = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    setFollows(offset + viewportSize >= scrollSize - NEAR);
  };

  if (messages.length === 0) return <p className="in-none soft">{empty}</p>;
  return (
    <div className="in-list">
      <Columns />
      <VList
        ref={list}
        className="in-rows"
        data={messages}
        itemSize={height}
        onScroll={onScroll}
        keepMounted={at >= 0 ? [at] : []}
        role="listbox"
        aria-label="Messages"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
        {...(at >= 0 && selected && { "aria-activedescendant": idOf(selected) })}
      >
        {(message, index) => (
          <Row
            key={message.n}
            message={message}
            index={index}
            isSelected={message === selected}
            isPartner={message === partner}
          />
        )}
      </VList>
      {!follows && (
        <Button className="button in-newest" onPress={() => setFollows(true)}>
          ↓ Newest
        </Button>
      )}
    </div>
  );
}

/** Column headings, for sighted users; rows have text for screen readers. */
function Columns() {
  return (
    <div className="in-columns" aria-hidden="true">
      <div>
        <span />
        <span className="in-time">Time</span>
        <span>Method</span>
        <span className="in-kind">Kind</span>
        <span className="in-size">Chars</span>
        <span className="in-took">Took</span>
      </div>
    </div>
  );
}

/** The index of a message, by binary search on its number. */
function indexOf(messages: readonly LoggedMessage[], { n }: LoggedMessage): number {
  let low = 0;
  let high = messages.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = messages[middle]?.n ?? 0;
    if (found === n) return middle;
    if (found < n) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

const Row = memo(function Row({
  message,
  index,
  isSelected,
  isPartner,
}: {
  message: LoggedMessage;
  index: number;
  isSelected: boolean;
  isPartner: boolean;
}) {
  const { direction, kind, method, at, party = "the app" } = message;
  const [prefix = ""] = /^ui\/notifications\//.exec(method) ?? [];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the row that is active.
    <div
      className={`in-row ${direction} ${kind}${isPartner ? " partner" : ""}`}
      role="option"
      id={idOf(message)}
      aria-selected={isSelected}
      data-index={index}
    >
      <span className="in-arrow">
        <span aria-hidden="true">{direction === "in" ? "←" : "→"}</span>
        <span className="visually-hidden">{direction === "in" ? `from ${party}` : `to ${party}`}</span>
      </span>
      <span className="in-time">{moment(at)}</span>
      <span className="in-method">
        {message.party !== undefined && (
          <span className="in-party" aria-hidden="true">
            {message.party.replace(/^the (server|app) /, "")}
          </span>
        )}
        {prefix && <span className="in-prefix">{prefix}</span>}
        {method.slice(prefix.length) || "(no method)"}
        {isPartner && <span className="visually-hidden">, belongs to the selected one</span>}
      </span>
      <span className="in-kind">{kind}</span>
      <span className="in-size">
        {size(message.size)}
        <span className="visually-hidden"> characters</span>
      </span>
      <span className="in-took">{message.duration === undefined ? "" : duration(message.duration)}</span>
    </div>
  );
});
