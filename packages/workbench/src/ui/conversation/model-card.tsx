/**
 * A message of the model.
 *
 * @module
 */
import type { ModelItem } from "@vitrine/wire";
import { memo, type ReactNode, useMemo } from "react";
import { Heading } from "react-aria-components";
import { count } from "../inspector/format.js";
import { textParts } from "./model-text.js";
import { Usage } from "./usage.js";

/** Maximum drawn characters. */
const MOST = 200_000;

const STATES = {
  streaming: ["accent", "answering"],
  stopped: ["warn", "stopped"],
  failed: ["bad", "failed"],
} as const;

/** Props of a {@link ModelCard}. */
export interface ModelCardProps {
  item: ModelItem;
  /** Actions of a complete answer. */
  actions?: ReactNode;
}

/** An answer, possibly incomplete. */
export function ModelCard({ item, actions }: ModelCardProps) {
  const { id, model, text, state, problem, usage, at } = item;
  const [kind, word] = state === "done" ? [] : STATES[state];
  // The answer consists only of calls, which have their own entries.
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
          {usage && <Usage usage={usage} />}
        </span>
      </header>
      <ModelText text={text} />
      {text === "" && state === "streaming" && <p className="soft">It has written nothing yet.</p>}
      {problem && <p className={state === "done" ? "soft" : "problem"}>{problem.message}</p>}
      {state !== "streaming" && actions}
    </article>
  );
}

/** Not announced word by word: the announcer reads the complete text. */
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

// When a text grows, only its last part renders again.
const Paragraph = memo(({ text }: { text: string }) => <p className="model-paragraph">{text}</p>);

const Code = memo(({ language, text }: { language: string; text: string }) => (
  <figure className="model-code">
    {language !== "" && <figcaption className="soft small mono">{language}</figcaption>}
    <pre>{text}</pre>
  </figure>
));
