/**
 * Model contexts of apps, which the model gets with the user's next message.
 *
 * @module
 */
import { oneLine } from "@vitrine/host";
import type { AppContext } from "@vitrine/wire";
import { memo } from "react";
import { Heading } from "react-aria-components";
import { type ChangedLine, changeSummary, contextChange } from "../../model/conversation/context-change.js";
import { textOf } from "../../model/messages/messages.js";
import { Json } from "../inspector/json.js";
import { PopoverButton } from "../popover-button.js";
import { ContentBlocks } from "./content-blocks.js";

/** Maximum characters of a chip. */
const FIRST = 80;

/** Props of {@link ContextChips}. */
export interface ContextChipsProps {
  contexts: readonly AppContext[];
  /** The agent that receives it instead of a model. */
  agent: string | undefined;
}

/** A chip for each app whose context the model has not received yet, with the whole context behind it. */
export const ContextChips = memo(({ contexts, agent }: ContextChipsProps) => {
  const untold = contexts.filter(({ isTold }) => !isTold);
  if (untold.length === 0) return null;
  return (
    <section className="contexts" aria-label="Context of apps for the model">
      <span className="soft small">Next for the model:</span>
      {untold.map((context) => (
        <Chip key={context.item} context={context} agent={agent} />
      ))}
    </section>
  );
});

function Chip({ context, agent }: { context: AppContext; agent: string | undefined }) {
  const { server, at, isStale, content = [], structuredContent } = context;
  const title = oneLine(context.title);
  const lines = contextChange(context);
  const when = agent === undefined ? "with your next message" : "with the result of its next call";
  return (
    <PopoverButton
      button={{
        className: "button context-chip",
        "data-stale": isStale || undefined,
        children: (
          <>
            <span>
              {title}: {lines ? short(changeSummary(lines)) : summaryOf(context)}
            </span>
            {isStale && <span className="badge warn">app closed</span>}
          </>
        ),
      }}
      className="context-whole"
      placement="top"
    >
      {() => (
        <>
          <Heading slot="title" level={2}>
            {server}: context of its app {title}
          </Heading>
          <p className="soft small">
            Sent at {new Date(at).toLocaleTimeString()}. {agent ?? "The model"} receives it once, {when},
            marked as coming from the app.
            {isStale && " The app has been closed since then."}
          </p>
          {lines && <Changes lines={lines} />}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
          <section className="context-text" tabIndex={0} aria-label={`Context of ${title}`}>
            <ContentBlocks content={content} />
            {structuredContent !== undefined && <Json value={structuredContent} label="Structured content" />}
          </section>
        </>
      )}
    </PopoverButton>
  );
}

/** Maximum lines; the whole text is below. */
const MOST_LINES = 40;

function Changes({ lines }: { lines: readonly ChangedLine[] }) {
  const rest = lines.length - MOST_LINES;
  return (
    <section aria-label="Changes since the model received it last">
      <p className="small">Changed since the model received it last:</p>
      <pre className="context-changes">
        {lines.slice(0, MOST_LINES).map(({ kind, text }, at) => {
          const Line = kind === "added" ? "ins" : "del";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and are drawn anew together.
            <Line key={at}>{`${kind === "added" ? "+" : "−"} ${text}\n`}</Line>
          );
        })}
      </pre>
      {rest > 0 && <p className="soft small">{rest} more lines changed.</p>}
    </section>
  );
}

/** The start of the context, on one line. */
const summaryOf = ({ content = [], structuredContent }: AppContext): string =>
  short(textOf({ content }) || JSON.stringify(structuredContent ?? {}));

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > FIRST ? `${line.slice(0, FIRST)}…` : line;
}
