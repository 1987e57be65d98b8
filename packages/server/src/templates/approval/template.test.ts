import { approval, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { requestOf } from "./request.js";

describe("the request to approve", () => {
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

  it("is dangerous if the configuration or, by default, the data says so", () => {
    expect(requestOf({ danger: true }, {}).isDangerous).toBe(true);
    expect(requestOf({ danger: true }, { danger: false }).isDangerous).toBe(false);
    expect(requestOf({}, { danger: true }).isDangerous).toBe(true);
    expect(requestOf({ danger: "yes" }, {}).isDangerous).toBe(false);
  });
});

describe("the approval", () => {
  it("is rendered as text", () => {
    const data = {
      summary: "Version 2",
      details: { tests: 41, notes: ["a", "b"] },
      danger: true,
      args: { id: 1 },
    };
    expect(approval.text?.(data, { title: "Release?", approveLabel: "Release" })).toBe(
      "Release? (dangerous)\n\nVersion 2\n\n- tests: 41\n- notes: a, b\n\nWaiting for the user: Release or Reject.",
    );
    expect(approval.text?.(["a", "b"], {})).toContain("\n\n- a\n- b\n\n");
  });

  it("has 20,000 bytes at most, and refuses unknown settings", () => {
    expect(renderTemplate(approval, { title: "Release?" }).length).toBeLessThanOrEqual(20_000);
    expect(() => renderTemplate(approval, { aproveTool: "x" } as never)).toThrow("did you mean approveTool?");
    expect(() => renderTemplate(approval, { danger: "yes" } as never)).toThrow(
      "config.danger must be true or false",
    );
  });
});
