/**
 * A message of the model.
 *
 * @module
 */
import type { ModelItem } from "@vitrine/wire";
import type { ReactNode } from "react";
import { Heading } from "react-aria-components";
import { Markdown } from "../markdown/markdown-view.js";
import { Usage } from "./usage.js";

const STATES = {
  streaming: ["accent", "answering"],
  stopped: ["warn", "stopped"],
  // Its problem is below, in red.
  failed: ["", "failed"],
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
      <Markdown text={text} isComplete={state !== "streaming"} />
      {text === "" && state === "streaming" && <p className="soft">It has written nothing yet.</p>}
      {problem && <p className={state === "done" ? "soft" : "problem"}>{problem.message}</p>}
      {state !== "streaming" && actions}
    </article>
  );
}
