/**
 * What a person can do with an answer: copy it, and where it failed have it again or ask otherwise.
 *
 * @module
 */
import type { ModelItem } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { Conversation } from "../../model/conversation/conversation.js";
import { useObserved } from "../use-observable.js";

/** Milliseconds for which the button says that it has copied. */
const SAID = 1_500;

/** Buttons below an answer that is complete. */
export function AnswerActions({ conversation, item }: { conversation: Conversation; item: ModelItem }) {
  const { state, problem, text } = item;
  const hasFailed = state !== "done" || problem !== undefined;
  const editable = hasFailed ? conversation.editable(item) : undefined;
  // A turn that goes on would be answered twice.
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
      // A page without a secure origin has no clipboard, and a person may refuse it.
      setSaid("Not copied: select the text");
    }
  };
  return (
    <Button className="button quiet" aria-label={said ?? "Copy the answer"} onPress={() => void copy()}>
      {said ?? "Copy"}
    </Button>
  );
}
