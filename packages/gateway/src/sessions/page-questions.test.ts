import type { Question } from "@vitrine/guard";
import { describe, expect, it } from "vitest";
import { PageQuestions } from "./page-questions.js";

const QUESTION: Question = {
  view: "v1",
  server: "shop",
  method: "tools/call",
  subject: "pay",
  fingerprint: "f",
  title: "Pay",
  reason: "It pays.",
  params: { name: "pay" },
};
const never = new AbortController().signal;

function setUp() {
  const sent: { id?: string; method: string; params: Record<string, unknown> }[] = [];
  const questions = new PageQuestions((text) => sent.push(JSON.parse(text)));
  return { sent, questions };
}

describe("PageQuestions", () => {
  it("contain everything for a prompt, but not the keys of approvals", () => {
    const { sent, questions } = setUp();
    void questions.ask(QUESTION, ["session"], never);
    const { fingerprint, ...shown } = QUESTION;
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        id: "q1",
        method: "gateway/ask",
        params: { ...shown, id: "q1", remember: ["session"] },
      },
    ]);
  });

  it("attack C09: accept only the first answer, and only to an open question", async () => {
    const { questions } = setUp();
    const first = questions.ask(QUESTION, [], never);
    questions.answered("q2", { answer: "allow" });
    questions.answered("q1", { answer: "deny", remember: "always" });
    questions.answered("q1", { answer: "allow" });
    expect(await first).toEqual({ answer: "deny", remember: "always" });
    const second = questions.ask(QUESTION, [], never);
    questions.answered("q2", { answer: "allow", remember: "session" });
    expect(await second).toEqual({ answer: "allow", remember: "session" });
  });

  it.each([undefined, null, "allow", 1, {}, { answer: "ALLOW" }, { answer: ["allow"] }, { answer: true }])(
    "treat %j as declined",
    async (result) => {
      const { questions } = setUp();
      const asked = questions.ask(QUESTION, [], never);
      questions.answered("q1", result);
      expect(await asked).toEqual({ answer: "deny", remember: "once" });
    },
  );

  it("remember nothing without the user's choice", async () => {
    const { questions } = setUp();
    const asked = questions.ask(QUESTION, [], never);
    questions.answered("q1", { answer: "allow", remember: "for ever" });
    expect(await asked).toEqual({ answer: "allow", remember: "once" });
  });

  it("are withdrawn when they are no longer needed, and not asked if they never were", async () => {
    const { sent, questions } = setUp();
    const controller = new AbortController();
    const asked = questions.ask(QUESTION, [], controller.signal);
    controller.abort();
    expect(await asked).toEqual({ answer: "deny" });
    expect(sent.at(-1)).toMatchObject({ method: "gateway/withdrawn", params: { id: "q1" } });
    expect(await questions.ask(QUESTION, [], controller.signal)).toEqual({ answer: "deny" });
    expect(sent).toHaveLength(2);
  });

  it("that are answered are not withdrawn", async () => {
    const { sent, questions } = setUp();
    const controller = new AbortController();
    const asked = questions.ask(QUESTION, [], controller.signal);
    questions.answered("q1", { answer: "allow" });
    await asked;
    controller.abort();
    expect(sent).toHaveLength(1);
  });

  it("that are open are repeated with the same id, and no others", async () => {
    const { sent, questions } = setUp();
    const first = questions.ask(QUESTION, [], never);
    void questions.ask({ ...QUESTION, subject: "look" }, [], never);
    questions.answered("q1", { answer: "allow" });
    await first;
    questions.again();
    expect(sent.map(({ id }) => id)).toEqual(["q1", "q2", "q2"]);
    expect(sent[2]).toEqual(sent[1]);
  });

  it("do not repeat a call of an app's tool in a new page: it fails, because it may have run", async () => {
    const { sent, questions } = setUp();
    const call = () => ({ view: "v1", name: "press", arguments: {} });
    const pressed = questions.request("conversation/app-tool", call, never);
    questions.again();
    await expect(pressed).rejects.toMatchObject({ code: "closed" });
    expect(sent).toHaveLength(1);
  });

  it("count as declined when the page has ended", async () => {
    const { questions } = setUp();
    const asked = [1, 2].map(() => questions.ask(QUESTION, [], never));
    questions.close();
    expect(await Promise.all(asked)).toEqual([{ answer: "deny" }, { answer: "deny" }]);
  });
});
