/**
 * A sampling request, as edited by the user.
 *
 * @module
 */
import type { SamplingAnswer, SamplingQuestion } from "@vitrine/wire";

type Message = SamplingQuestion["messages"][number];

/** The edited request. */
export interface SamplingDraft {
  systemPrompt: string;
  messages: readonly Message[];
  maxTokens: number;
}

/** The unedited request. */
export const draftOf = ({ systemPrompt = "", messages, maxTokens }: SamplingQuestion): SamplingDraft => ({
  systemPrompt,
  messages,
  maxTokens,
});

/** Replaces the text of one block of one message. */
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

/** The remaining messages, without empty texts and empty messages. */
export const leftMessages = ({ messages }: SamplingDraft): Message[] =>
  messages.flatMap((message) => {
    const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
    return content.length > 0 ? [{ ...message, content }] : [];
  });

/** The approving answer, with only the changed parts. */
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
