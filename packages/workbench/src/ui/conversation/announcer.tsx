/**
 * Announces the conversation to screen readers.
 *
 * @module
 */
import { useRef } from "react";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { useObservable } from "../use-observable.js";

/** Maximum announced characters. */
const MOST = 2_000;

/**
 * Announces that the model started to answer, and the complete answer. Existing entries are not announced.
 */
export function Announcer({ conversation }: { conversation: PageConversation }) {
  useObservable(conversation);
  const last = conversation.items.findLast((item) => item.kind === "model");
  /** The answer that was seen while streaming. */
  const heard = useRef<string>(undefined);
  if (last?.state === "streaming") heard.current = last.id;
  /** When the conversation was opened. A short answer may be complete before this page draws its beginning. */
  const opened = useRef({ id: conversation.id, at: Date.now() });
  if (opened.current.id !== conversation.id) opened.current = { id: conversation.id, at: Date.now() };
  const isHeard = last !== undefined && (heard.current === last.id || last.at > opened.current.at);
  return (
    <div className="visually-hidden" role="status">
      {isHeard && last.state === "streaming" && `${last.model} answers.`}
      {isHeard &&
        last.state !== "streaming" &&
        [last.text.slice(0, MOST), last.problem?.message].join(" ").trim()}
    </div>
  );
}
