/**
 * What the model said.
 *
 * @module
 */
import type { ModelItem } from "@vitrine/wire";
import { memo, type ReactNode, useMemo } from "react";
import { Heading } from "react-aria-components";
import { count } from "../inspector/format.js";
import { textParts } from "./model-text.js";

/** Characters that are drawn: no page can draw all that an endless answer may be. */
const MOST = 200_000;

const STATES = {
  streaming: ["accent", "answering"],
  stopped: ["warn", "stopped"],
  failed: ["bad", "failed"],
} as const;

/** Props of a {@link ModelCard}. */
export interface ModelCardProps {
  item: ModelItem;
  /** What can be done with it when it is complete. */
  actions?: ReactNode;
}

/** An answer, as far as it has come. */
export function ModelCard({ item, actions }: ModelCardProps) {
  const { id, model, text, state, problem, usage, at } = item;
  const [kind, word] = state === "done" ? [] : STATES[state];
  // It has answered with calls alone: they stand for themselves.
  if (text === "" && state === "done" && !problem) return null;
  return (
    <article className="card model" aria-labelledby={`model-${id}`} aria-busy={state === "streaming"}>
      <header className="card-head">
        <Heading level={3} id={`model-${id}`} className="card-title">
          {model}
        </Heading>
        <span className="facts small soft">
          {word !== undefined && <span className={`badge ${kind}`}>{word}</span>}
          <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
          {usage && (
            <span>
              {count(usage.input)} tokens in, {count(usage.output)} out
            </span>
          )}
        </span>
      </header>
      <ModelText text={text} />
      {text === "" && state === "streaming" && <p className="soft">It has said nothing yet.</p>}
      {problem && <p className={state === "done" ? "soft" : "problem"}>{problem.message}</p>}
      {state !== "streaming" && actions}
    </article>
  );
}

/** Told in whole by the announcer when it is complete: to be read out word by word helps nobody. */
function ModelText({ text }: { text: string }) {
  const parts = useMemo(() => textParts(text.slice(0, MOST)), [text]);
  if (text === "") return null;
  return (
    <div className="model-text" aria-live="off">
      {parts.map((part, index) =>
        part.kind === "code" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only ever come at the end.
          <Code key={index} language={part.language} text={part.text} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Paragraph key={index} text={part.text} />
        ),
      )}
      {text.length > MOST && <p className="soft small">{count(text.length - MOST)} more characters.</p>}
    </div>
  );
}

// Of a text that grows, only the last part is drawn again.
const Paragraph = memo(({ text }: { text: string }) => <p className="model-paragraph">{text}</p>);

const Code = memo(({ language, text }: { language: string; text: string }) => (
  <figure className="model-code">
    {language !== "" && <figcaption className="soft small mono">{language}</figcaption>}
    <pre>{text}</pre>
  </figure>
));
