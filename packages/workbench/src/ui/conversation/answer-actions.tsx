/**
 * Actions of an answer: copy it and, if it failed, retry it or edit the message.
 *
 * @module
 */
import type { ModelItem } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { useObserved } from "../use-observable.js";

/** Milliseconds for which the button confirms copying. */
const SAID = 1_500;

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
      {whole !== "" && <CopyButton text={whole} />}
    </div>
  );
}

function CopyButton({ text }: { text: string }) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Without a secure origin there is no clipboard, and the user may refuse it.
      setSaid("Not copied: select the text");
    }
  };
  return (
    <Button className="button quiet" aria-label={said ?? "Copy the answer"} onPress={() => void copy()}>
      {said ?? "Copy"}
    </Button>
  );
}
