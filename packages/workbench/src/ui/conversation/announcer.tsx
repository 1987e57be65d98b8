/**
 * What is read out to people who do not see the conversation.
 *
 * @module
 */
import { useRef } from "react";
import type { Conversation } from "../../model/conversation/conversation.js";
import { useObservable } from "../use-observable.js";

/** Characters that are read out: who wants more goes to the entry. */
const MOST = 2_000;

/** Says that the model has begun to answer, and the answer once it is complete. What is there when the page opens is not read. */
export function Announcer({ conversation }: { conversation: Conversation }) {
  useObservable(conversation);
  const last = conversation.items.findLast((item) => item.kind === "model");
  /** The answer that was seen in the making. */
  const heard = useRef<string>(undefined);
  if (last?.state === "streaming") heard.current = last.id;
  const isHeard = last !== undefined && heard.current === last.id;
  return (
    <div className="visually-hidden" role="status">
      {isHeard && last.state === "streaming" && `${last.model} answers.`}
      {isHeard &&
        last.state !== "streaming" &&
        [last.text.slice(0, MOST), last.problem?.message].join(" ").trim()}
    </div>
  );
}
