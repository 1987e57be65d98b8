import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { Terminal } from "../terminal.js";
import { causeOf } from "./cause.js";
import { printReport, printResult } from "./print-result.js";
import { type RenderResult, unrendered } from "./render-result.js";

/** Control sequences: clear the screen, set the title, and the one-character form of the first. */
const HOSTILE = "a\u001b[2J\u001b]0;x\u0007\u009b2Jb";
const cause = { code: HOSTILE, message: HOSTILE, fix: HOSTILE };
const server = { name: HOSTILE, version: HOSTILE };
const result: RenderResult = {
  ...unrendered(HOSTILE, { server }, cause),
  view: { appInfo: { name: HOSTILE, version: HOSTILE }, capabilities: {} },
  text: HOSTILE,
  console: [{ level: HOSTILE, from: "console", text: HOSTILE }],
  csp: { policy: HOSTILE, violations: [{ directive: HOSTILE, blocked: HOSTILE }] },
  consents: [{ method: HOSTILE, subject: HOSTILE, title: HOSTILE, answer: "deny", option: HOSTILE }],
  screenshot: HOSTILE,
  trace: HOSTILE,
};

it.each([
  ["one result", (terminal: Terminal) => printResult(terminal, result)],
  [
    "several",
    (terminal: Terminal) =>
      printReport(terminal, {
        ok: false,
        server,
        results: [result],
        screenshot: HOSTILE,
        skipped: [{ tool: HOSTILE, reason: HOSTILE }],
      }),
  ],
  [
    "none",
    (terminal: Terminal) => printReport(terminal, { ok: false, cause, server, results: [], skipped: [] }),
  ],
])("escapes control characters in %s", (_what, print) => {
  const out = new PassThrough();
  print(new Terminal(out, new PassThrough()));
  const printed = String(out.read());
  expect(printed).toContain("\\u{1b}[2J");
  expect(printed.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

it("treats an unknown code as the server's error, because the format allows only plain words", () => {
  for (const code of [HOSTILE, "-32099", "", "Two words"])
    expect(causeOf({ code, message: "m" }).code).toBe("server-error");
  expect(causeOf({ code: "server-failed", message: "m" }).code).toBe("server-failed");
});

it.each([
  ["", "", "✗ not rendered"],
  ["", "shop", "✗ shop"],
  ["cart", "shop", "✗ cart · shop"],
])("starts with the known names: %j of %j", (tool, name, head) => {
  const out = new PassThrough();
  printResult(
    new Terminal(out, new PassThrough()),
    unrendered(tool, { server: { name, version: "" } }, cause),
  );
  expect(String(out.read()).split("\n")[0]).toBe(head);
});
