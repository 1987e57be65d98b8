/**
 * Actions of an answer: copy it and, if it failed, retry it or edit the message.
 *
 * @module
 */
import type { ModelItem } from "@vitrine/wire";
import { Button } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { CopyButton } from "../copy-button.js";
import { useObserved } from "../use-observable.js";

/** Buttons below a complete answer. */
export function AnswerActions({ conversation, item }: { conversation: PageConversation; item: ModelItem }) {
  const { state, problem, text } = item;
  const hasFailed = state !== "done" || problem !== undefined;
  const editable = hasFailed ? conversation.editable(item) : undefined;
  // A running turn would be answered twice.
  const isBusy = useObserved(conversation, (each) => each.isRunning);
  const whole = [text, problem && `${problem.message} (${problem.code})`].filter(Boolean).join("\n\n");
  return (
    <div className="answer-actions">
      {hasFailed && item.answers !== undefined && (
        <Button className="button" isDisabled={isBusy} onPress={() => void conversation.retry(item)}>
          Retry
        </Button>
      )}
      {editable && (
        <Button
          className="button quiet"
          isDisabled={isBusy}
          aria-label="Edit the message"
          onPress={() => conversation.edit(editable)}
        >
          Edit
        </Button>
      )}
      {whole !== "" && <CopyButton text={whole} label="Copy the answer" />}
    </div>
  );
}
