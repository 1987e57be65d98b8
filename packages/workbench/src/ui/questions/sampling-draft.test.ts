import type { SamplingQuestion } from "@vitrine/wire";
import { expect, it } from "vitest";
import { allowed, draftOf, leftMessages, withText } from "./sampling-draft.js";

const QUESTION: SamplingQuestion = {
  id: "1",
  server: "demo",
  model: "scripted",
  systemPrompt: "Be brief.",
  messages: [
    { role: "user", content: [{ type: "text", text: "Summarize this." }] },
    {
      role: "user",
      content: [
        { type: "text", text: "A picture:" },
        { type: "image", data: "AA==", mimeType: "image/png" },
      ],
    },
  ],
  maxTokens: 100,
};

it("unchanged fields are not in the answer", () => {
  expect(allowed(QUESTION, draftOf(QUESTION))).toEqual({ answer: "allow" });
});

it("changed fields are, instead of the requested ones", () => {
  const draft = { ...withText(draftOf(QUESTION), 0, 0, "Do not."), systemPrompt: "", maxTokens: 10 };
  expect(allowed(QUESTION, draft)).toEqual({
    answer: "allow",
    systemPrompt: "",
    maxTokens: 10,
    messages: [{ role: "user", content: [{ type: "text", text: "Do not." }] }, QUESTION.messages[1]],
  });
  // The input is not modified.
  expect(QUESTION.messages[0]?.content).toEqual([{ type: "text", text: "Summarize this." }]);
});

it("texts that were emptied are left out, and messages in which nothing is left", () => {
  const emptied = withText(withText(draftOf(QUESTION), 0, 0, " "), 1, 0, "");
  expect(leftMessages(emptied)).toEqual([
    { role: "user", content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
  ]);
});

it("only texts can be changed", () => {
  expect(withText(draftOf(QUESTION), 1, 1, "text").messages).toEqual(QUESTION.messages);
});
