import { approval, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { requestOf } from "./request.js";

describe("what is to be approved", () => {
  it.each([
    ["a text", "Delete it?", { summary: "Delete it?", details: [] }],
    [
      "a record",
      { message: "Pay?", amount: 5, paid: false },
      {
        summary: "Pay?",
        details: [
          ["amount", 5],
          ["paid", false],
        ],
      },
    ],
    [
      "details",
      { title: "T", summary: "S", details: { a: 1 }, id: 7 },
      { title: "T", summary: "S", details: [["a", 1]] },
    ],
    [
      "a list",
      [{ label: "Host", value: "a" }, { name: "Port", value: 1 }, "more"],
      {
        details: [
          ["Host", "a"],
          ["Port", 1],
          ["", "more"],
        ],
      },
    ],
    ["a text as details", { details: "a\nb" }, { details: [["", "a\nb"]] }],
    ["nothing", {}, { title: "", summary: "", details: [], args: {} }],
  ])("is read from %s", (_what, data, request) => {
    expect(requestOf(data, {})).toMatchObject(request);
  });

  it("is dangerous as the configuration says, and as the data does where that says nothing", () => {
    expect(requestOf({ danger: true }, {}).isDangerous).toBe(true);
    expect(requestOf({ danger: true }, { danger: false }).isDangerous).toBe(false);
    expect(requestOf({}, { danger: true }).isDangerous).toBe(true);
    expect(requestOf({ danger: "yes" }, {}).isDangerous).toBe(false);
  });
});

describe("the approval", () => {
  it("is said in words", () => {
    const data = {
      summary: "Version 2",
      details: { tests: 41, notes: ["a", "b"] },
      danger: true,
      args: { id: 1 },
    };
    expect(approval.text?.(data, { title: "Release?", approveLabel: "Release" })).toBe(
      "Release? (dangerous)\n\nVersion 2\n\n- tests: 41\n- notes: a, b\n\nWaiting for a person: Release or Reject.",
    );
    expect(approval.text?.(["a", "b"], {})).toContain("\n\n- a\n- b\n\n");
  });

  it("has 20,000 bytes at most, and refuses what it does not know", () => {
    expect(renderTemplate(approval, { title: "Release?" }).length).toBeLessThanOrEqual(20_000);
    expect(() => renderTemplate(approval, { aproveTool: "x" } as never)).toThrow("is approveTool meant?");
    expect(() => renderTemplate(approval, { danger: "yes" } as never)).toThrow(
      "config.danger must be true or false",
    );
  });
});
