/**
 * The log of a server, live.
 *
 * @module
 */
import type { StderrLine } from "@vitrine/wire";
import { useEffect, useRef, useState } from "react";
import type { Setup } from "../../model/setup.js";
import { clock } from "../inspector/format.js";
import { SetupDialog } from "./setup-dialog.js";

/** The last lines of its stderr, and its states. New lines appear at the end. */
export function LogDialog({ setup, name, onClose }: { setup: Setup; name: string; onClose: () => void }) {
  const [lines, setLines] = useState<readonly StderrLine[]>();
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => setup.follow(name, setLines), [setup, name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there are new lines.
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  return (
    <SetupDialog title={`Log of ${name}`} onClose={onClose}>
      <section
        ref={box}
        className="setup-log mono small"
        role="log"
        aria-label={`Log of ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 20;
        }}
      >
        {lines?.length === 0 && <p className="soft">It has written nothing to stderr.</p>}
        {lines?.map(({ at, text, note }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added and dropped.
          <p key={index} className={note ? "soft" : undefined}>
            <span className="soft">{clock(at)} </span>
            {text}
          </p>
        ))}
      </section>
    </SetupDialog>
  );
}
