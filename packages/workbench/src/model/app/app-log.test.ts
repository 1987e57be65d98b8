import { describe, expect, it } from "vitest";
import { AppLog } from "./app-log.js";

const note = (size: number, method = "a") => ({
  direction: "in" as const,
  message: { jsonrpc: "2.0", method, params: { text: "x".repeat(size) } },
});
const total = (log: AppLog): number => log.messages.reduce((sum, { size }) => sum + size, 0);

describe("messages of an app in the log", () => {
  it("is no more than its characters allow: the oldest go, the newest stays", () => {
    const log = new AppLog(() => 0, 10_000);
    for (let at = 0; at < 100; at++) log.add(note(500));
    expect(total(log)).toBeLessThanOrEqual(10_000);
    expect(total(log)).toBeGreaterThan(7_000);
    expect(log.messages.at(-1)?.n).toBe(100);
    expect(log.dropped).toBe(100 - log.messages.length);
    log.add(note(50_000));
    expect(log.messages.map(({ n }) => n)).toEqual([101]);
    log.clear();
    for (let at = 0; at < 10; at++) log.add(note(500));
    expect(log.messages).toHaveLength(10);
  });

  it("keeps only the existence of a large milestone", () => {
    const log = new AppLog(() => 0, 10_000);
    log.add(note(10, "ui/initialize"));
    log.add(note(5_000, "ui/initialize"));
    expect(log.milestones.map(({ n, message }) => [n, message !== undefined])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it("has lines of so many characters, too", () => {
    const log = new AppLog(() => 0, 10_000);
    for (let at = 0; at < 20; at++) log.line({ level: "info", from: "log", text: `${at} `.padEnd(300) });
    expect(log.lines.length).toBeLessThan(4);
    expect(log.lines.at(-1)?.text).toMatch(/^19 /);
  });
});

it("answers are known by their requests, also when those are forgotten; of very many, by the newest", () => {
  const log = new AppLog(() => 0, 10_000);
  const ask = (id: number): void =>
    void log.add({ direction: "in", message: { jsonrpc: "2.0", id, method: "tools/call" } });
  const answer = (id: number) => log.add({ direction: "out", message: { jsonrpc: "2.0", id, result: {} } });
  ask(1);
  log.add(note(50_000));
  expect(answer(1).method).toBe("tools/call");
  for (let id = 0; id < 10_001; id++) ask(id);
  expect(answer(0).method).toBe("");
  expect(answer(10_000).method).toBe("tools/call");
});

it("an app's reports are text, whatever they contain", () => {
  const log = new AppLog(() => 0);
  const hostile = { toString: 1, valueOf: 1 };
  log.report({ code: "console", by: "view", level: "warn", text: "careful" });
  log.report({ code: "console", by: "view", level: hostile, text: hostile });
  log.report({ code: "console", by: "view", level: "log" });
  log.report({ code: "console", by: "view", level: "warn", missed: 9000 });
  log.report({ code: "console", by: "view", level: "error", missed: "no number", text: "x" });
  log.report({ code: "script-error", by: "view", message: hostile });
  log.report({ code: "csp-violation", by: "view", directive: hostile, blocked: hostile });
  expect(log.lines.map(({ level, from, text }) => [level, from, text])).toEqual([
    ["warning", "console", "careful"],
    ["info", "console", '{"toString":1,"valueOf":1}'],
    ["log", "console", "undefined"],
    ["warning", "console", "9000 lines came too fast and were dropped"],
    ["error", "console", "x"],
    ["error", "script", '{"toString":1,"valueOf":1}'],
  ]);
  expect(log.violations).toHaveLength(1);
});
