import { describe, expect, it } from "vitest";
import { type Approval, ApprovalList, sentenceOf } from "./approvals.js";

const approval = (more: Partial<Approval>): Approval => ({
  server: "shop",
  method: "tools/call",
  subject: "",
  answer: "allow",
  grantedAt: 1,
  isForSession: false,
  ...more,
});

describe("the user's answers", () => {
  it("are listed by server, those of the session among them", async () => {
    const list = new ApprovalList(async () => ({
      consents: [
        { server: "shop", method: "ui/message", subject: "", answer: "allow", grantedAt: 5 },
        { server: "mail", method: "ui/message", subject: "", answer: "deny", grantedAt: 9 },
      ],
      session: [{ server: "shop", method: "tools/call", subject: "buy", answer: "allow", grantedAt: 2 }],
    }));
    await list.load();
    expect(list.list?.map((each) => [each.server, each.method, each.isForSession])).toEqual([
      ["mail", "ui/message", false],
      ["shop", "tools/call", true],
      ["shop", "ui/message", false],
    ]);
  });

  it("are revoked by exactly their key", async () => {
    const asked: string[] = [];
    const list = new ApprovalList(async (path, method = "GET") => {
      asked.push(`${method} ${path}`);
      return method === "DELETE" ? { revoked: 1 } : { consents: [], session: [] };
    });
    await list.revoke(approval({ identity: "abc", actor: "model", subject: "a & b" }));
    expect(asked).toEqual([
      "DELETE /api/consents?server=shop&method=tools%2Fcall&subject=a+%26+b&identity=abc&actor=model",
      "GET /api/consents",
    ]);
  });

  it("stay when the gateway refuses, with its reason", async () => {
    const list = new ApprovalList(async (_path, method) => {
      if (method === "DELETE") throw new Error("the gateway is stopping");
      return { consents: [], session: [] };
    });
    await list.load();
    await list.revoke(approval({}));
    expect([list.problem, list.list]).toEqual(["the gateway is stopping", []]);
  });
});

describe("an answer as a sentence", () => {
  it.each([
    [{}, "Apps of shop may use all ordinary tools of shop"],
    [{ actor: "model", subject: "buy" } as const, "The model may use the tool buy of shop"],
    [{ method: "ui/open-link", subject: "a.example" }, "Apps of shop may open links to a.example"],
    [
      { method: "ui/permission", subject: "camera", answer: "deny" } as const,
      "Apps of shop may not use your camera",
    ],
    [{ method: "constructor", subject: "x" }, "Apps of shop may constructor x"],
  ])("names who, what and where: %j", (more, sentence) => {
    expect(sentenceOf(approval(more))).toBe(sentence);
  });
});
