/**
 * What a server or an app wants the model to be asked, as the person changes it.
 *
 * @module
 */
import type { SamplingAnswer, SamplingQuestion } from "@vitrine/wire";

type Message = SamplingQuestion["messages"][number];

/** What the model would be asked. */
export interface SamplingDraft {
  systemPrompt: string;
  messages: readonly Message[];
  maxTokens: number;
}

/** What was asked, before anything is changed. */
export const draftOf = ({ systemPrompt = "", messages, maxTokens }: SamplingQuestion): SamplingDraft => ({
  systemPrompt,
  messages,
  maxTokens,
});

/** The draft with another text in one block of one message. */
export const withText = (
  draft: SamplingDraft,
  message: number,
  block: number,
  text: string,
): SamplingDraft => ({
  ...draft,
  messages: draft.messages.map((each, at) =>
    at === message
      ? {
          ...each,
          content: each.content.map((part, place) =>
            place === block && part.type === "text" ? { ...part, text } : part,
          ),
        }
      : each,
  ),
});

/** What is left of the messages: texts without a word are left out, and so are messages without content. */
export const leftMessages = ({ messages }: SamplingDraft): Message[] =>
  messages.flatMap((message) => {
    const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
    return content.length > 0 ? [{ ...message, content }] : [];
  });

/** The answer that allows it: only what was changed is in it. */
export function allowed(question: SamplingQuestion, draft: SamplingDraft): SamplingAnswer {
  const { systemPrompt, maxTokens } = draft;
  const messages = leftMessages(draft);
  const isSame = JSON.stringify(messages) === JSON.stringify(question.messages);
  return {
    answer: "allow",
    ...(systemPrompt !== (question.systemPrompt ?? "") && { systemPrompt }),
    ...(!isSame && { messages }),
    ...(maxTokens !== question.maxTokens && { maxTokens }),
  };
}
