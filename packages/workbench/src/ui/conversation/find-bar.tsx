/**
 * Finds words in the conversation that is shown.
 *
 * @module
 */
import { ArrowDown, ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Button, Input, SearchField } from "react-aria-components";
import { useObserved } from "../use-observable.js";
import type { DrawingQueue } from "./drawing-queue.js";
import { matchRanges } from "./match-ranges.js";

/** Milliseconds after typing before the conversation is searched. */
const PAUSE = 150;

/** Props of a {@link FindBar}. */
export interface FindBarProps {
  /** The element with the entries. */
  inner: RefObject<HTMLElement | null>;
  /** Entries that are not drawn yet: they are found when they are. */
  queue: DrawingQueue;
  /** The words to begin with, after a search in all conversations. */
  start: string;
  onClose: () => void;
}

/** A field, the number of matches, and buttons to go through them. Matches are marked without changing the entries. */
export function FindBar({ inner, queue, start, onClose }: FindBarProps) {
  const [text, setText] = useState(start);
  const [matches, setMatches] = useState<readonly Range[]>([]);
  const [place, setPlace] = useState(0);
  /** The text that was searched last: the place stays while an answer grows. */
  const searched = useRef<string>(undefined);
  const isWhole = useObserved(queue, (each) => each.isEmpty);
  useEffect(() => queue.hurry(), [queue]);
  useEffect(() => {
    const { current: root } = inner;
    if (!root || !isWhole) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const search = (): void => {
      setMatches(matchRanges(root, text));
      if (searched.current !== text) setPlace(0);
      searched.current = text;
    };
    const soon = (): void => {
      clearTimeout(timer);
      timer = setTimeout(search, PAUSE);
    };
    soon();
    const observer = new MutationObserver(soon);
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [inner, text, isWhole]);
  const current = matches[Math.min(place, matches.length - 1)];
  useEffect(() => {
    CSS.highlights.set("found", new Highlight(...matches));
    CSS.highlights.set("found-here", new Highlight(...(current ? [current] : [])));
    return () => {
      CSS.highlights.delete("found");
      CSS.highlights.delete("found-here");
    };
  }, [matches, current]);
  // Only when the user moves or types: not when an answer grows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  useEffect(() => {
    current?.startContainer.parentElement?.scrollIntoView({ block: "center" });
  }, [place, searched.current, matches.length > 0]);
  const move = (by: number): void => setPlace((place + by + matches.length) % Math.max(1, matches.length));
  return (
    <search className="find-bar" aria-label="Find in this conversation">
      <SearchField
        className="search"
        aria-label="Find in this conversation"
        value={text}
        onChange={setText}
        autoFocus
        onKeyDown={(event) => {
          if (event.key === "Enter") move(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape" && text === "") onClose();
        }}
      >
        <Input className="input" placeholder="Find in this conversation" />
      </SearchField>
      <span className="small soft" role="status">
        {text.trim() === ""
          ? ""
          : !isWhole
            ? "Searching…"
            : matches.length === 0
              ? "No match"
              : `${Math.min(place, matches.length - 1) + 1} of ${matches.length}`}
      </span>
      <Button
        className="button quiet icon"
        aria-label="Previous match"
        isDisabled={matches.length === 0}
        onPress={() => move(-1)}
      >
        <ArrowUp />
      </Button>
      <Button
        className="button quiet icon"
        aria-label="Next match"
        isDisabled={matches.length === 0}
        onPress={() => move(1)}
      >
        <ArrowDown />
      </Button>
      <Button className="button quiet" onPress={onClose}>
        Close
      </Button>
    </search>
  );
}
