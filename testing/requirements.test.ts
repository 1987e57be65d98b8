/** The table of requirements counts correctly. */
import { describe, expect, it } from "vitest";
import { count, idsOf, readIds } from "../scripts/requirements.mjs";

describe("the table of requirements", () => {
  it.each([
    ["L08: a view is asked before it goes", ["L08"]],
    ["L08, D12: a view without a handler agrees", ["L08", "D12"]],
    ["L04 and L06: input before result", ["L04", "L06"]],
    ["attack A01: fetch to an undeclared host", []],
    ["something about L08: later", []],
    ["a test without an id", []],
  ])("reads the ids of %s", (title, ids) => {
    expect(idsOf(title)).toEqual(ids);
  });

  it("reads the ids of the document, whatever the columns", () => {
    expect(readIds("| id | level |\n|---|---|\n| S01 | M | apart |\n| T03 | text | accept |\n")).toEqual([
      "S01",
      "T03",
    ]);
  });

  it("counts a failed test against every id in its name", () => {
    const report = {
      testResults: [
        {
          assertionResults: [
            { title: "S01: apart", status: "passed" },
            { title: "S01, S02: framed", status: "failed" },
            { title: "attack S02: none", status: "passed" },
          ],
        },
      ],
    };
    expect([...count(["S01", "S02", "S03"], report)]).toEqual([
      ["S01", { passed: 1, failed: 1 }],
      ["S02", { passed: 0, failed: 1 }],
      ["S03", { passed: 0, failed: 0 }],
    ]);
  });
});
