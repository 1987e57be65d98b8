import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { type CellReport, type EvalReport, type RunReport, reportOf } from "./eval-report.js";
import { junitXml } from "./junit.js";

const run = (number: number, outcome: RunReport["outcome"], more: Partial<RunReport> = {}): RunReport => ({
  run: number,
  outcome,
  reasons: outcome === "failed" ? ["it is wrong"] : [],
  calls: [],
  answer: "",
  denied: [],
  usage: {},
  time: 1_000,
  ...more,
});

function report(cells: Record<string, RunReport[]>, minRate: number, runs: number): EvalReport {
  const plan = {
    cells: Object.keys(cells).map((name) => ({
      evalCase: { name, turns: [{ say: "x" }] },
      model: name.startsWith("b") ? "p/two" : "p/one",
    })),
    runs,
    minRate,
    concurrency: 1,
    timeout: 1,
    allow: [],
    apps: false,
  };
  return reportOf(plan, Object.values(cells), { file: "a.yml", interrupted: false, time: 5_000 });
}

/** Strict: what is not well-formed has a `parsererror`. */
function parsed(xml: string): Document {
  const { DOMParser } = new JSDOM().window;
  const document = new DOMParser().parseFromString(xml, "application/xml");
  expect(document.querySelector("parsererror")?.textContent).toBeUndefined();
  return document;
}

it("a case fails in JUnit exactly when its rate is too low, and has an error when it could not be judged", () => {
  const made = report(
    {
      "a good": [run(1, "passed"), run(2, "failed")],
      "a bad": [run(1, "failed"), run(2, "failed")],
      "b error": [
        run(1, "passed"),
        run(2, "error", { error: { code: "model-rate-limited", message: "wait" } }),
      ],
      "b never": [],
    },
    0.5,
    2,
  );
  expect(made.results.map(({ ok, rate }: CellReport) => [ok, rate])).toEqual([
    [true, 0.5],
    [false, 0],
    [false, 1],
    [false, undefined],
  ]);
  const xml = parsed(junitXml(made));
  const cases = [...xml.querySelectorAll("testcase")];
  expect(cases.map((each) => [each.getAttribute("name"), each.firstElementChild?.tagName])).toEqual([
    ["a good (p/one)", "system-out"],
    ["a bad (p/one)", "failure"],
    ["b error (p/two)", "error"],
    ["b never (p/two)", "skipped"],
  ]);
  const counts = (element: Element | null) =>
    ["tests", "failures", "errors", "skipped"].map((name) => element?.getAttribute(name));
  expect(counts(xml.documentElement)).toEqual(["4", "1", "1", "1"]);
  expect([...xml.querySelectorAll("testsuite")].map(counts)).toEqual([
    ["2", "1", "0", "0"],
    ["2", "0", "1", "1"],
  ]);
  expect(xml.querySelector("failure")?.getAttribute("message")).toBe(
    "0 of 2 runs were as expected; the minimum rate is 0.5",
  );
  expect(xml.querySelector("error")?.textContent).toContain("run 2: error: model-rate-limited: wait");
});

it("any text of a model can be in it", () => {
  const evil = "]]></failure><evil a='1' b=\"2\"> & \u0000\u001b[31m \ud800 \u{1f600}\nnext";
  const made = report({ [`a ${evil}`]: [run(1, "failed", { reasons: [evil] })] }, 1, 1);
  const xml = parsed(junitXml(made));
  expect(xml.querySelector("evil")).toBeNull();
  expect(xml.querySelector("failure")?.textContent).toBe(
    `run 1: failed: ${evil.replace("\u0000", "\ufffd").replace("\u001b", "\ufffd").replace("\ud800", "\ufffd")}`,
  );
});
