import { JsonText } from "@vitrine/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { AppLog } from "../app/app-log.js";
import { type MessageCriteria, MessageFilter, partnerOf } from "./message-filter.js";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function stage(criteria: MessageCriteria = {}) {
  const log = new AppLog();
  const filter = new MessageFilter(log);
  filter.criteria = criteria;
  ends.push(filter.connect());
  return { log, filter, numbers: () => filter.shown.map(({ n }) => n) };
}

const call = (id: number, text: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "search", arguments: { text } },
});

describe("a filter of messages", () => {
  it.each<[string, MessageCriteria, number[]]>([
    ["nothing", {}, [1, 2, 3, 4, 5]],
    ["a direction", { direction: "out" }, [2, 4]],
    ["a kind", { kind: "request" }, [1, 3]],
    ["errors", { kind: "error" }, [4]],
    ["a part of the method, whatever its case", { method: "NOTIFICATIONS/" }, [5]],
    ["the method of what an answer answers", { method: "tools/call" }, [1, 2, 3, 4]],
    ["a part of the JSON, whatever its case", { text: '"text":"BERN' }, [1]],
    ["text with signs that mean something in patterns", { text: "(a+b)*" }, [3]],
    ["text that came as text", { text: "sunny" }, [2]],
    ["several at once", { direction: "in", text: "search", method: "call" }, [1, 3]],
  ])("by %s", async (_title, criteria, expected) => {
    const { log, numbers } = stage(criteria);
    log.add({ direction: "in", message: call(1, "Berne") });
    log.add({ direction: "out", message: { jsonrpc: "2.0", id: 1, result: new JsonText('{"x":"sunny"}') } });
    log.add({ direction: "in", message: call(2, "(a+b)*") });
    log.add({ direction: "out", message: { jsonrpc: "2.0", id: 2, error: { code: 1, message: "no" } } });
    log.add({ direction: "in", message: { jsonrpc: "2.0", method: "notifications/message", params: {} } });
    await expect.poll(numbers).toEqual(expected);
  });

  it("is kept up to date, and has earlier messages when the filter changes", async () => {
    const { log, filter, numbers } = stage({ text: "one" });
    log.add({ direction: "in", message: call(1, "one") });
    await expect.poll(numbers).toEqual([1]);
    log.add({ direction: "in", message: call(2, "two") });
    log.add({ direction: "in", message: call(3, "one more") });
    await expect.poll(numbers).toEqual([1, 3]);
    filter.criteria = { text: "two" };
    await expect.poll(numbers).toEqual([2]);
  });

  it("drops messages that the log drops", async () => {
    const { log, numbers } = stage();
    log.add({ direction: "in", message: call(1, "one") });
    await expect.poll(numbers).toEqual([1]);
    log.clear();
    await expect.poll(numbers).toEqual([]);
    log.add({ direction: "in", message: call(2, "two") });
    await expect.poll(numbers).toEqual([2]);
  });

  it("searches 100,000 messages in portions, and finds all", async () => {
    const { log, filter } = stage();
    for (let n = 0; n < 100_000; n++)
      log.add({ direction: "in", message: call(n, n % 1000 ? "" : "needle") });
    await expect.poll(() => filter.shown.length).toBe(100_000);
    filter.criteria = { text: "needle" };
    // Only a part of the messages was searched.
    expect(filter.isSearching).toBe(true);
    expect(filter.progress).toBeLessThan(1);
    await expect.poll(() => filter.isSearching).toBe(false);
    expect(filter.shown).toHaveLength(100);
    expect(filter.progress).toBe(1);
  });

  it("survives values that are not JSON", async () => {
    const { log, numbers } = stage({ text: "x" });
    const cycle: Record<string, unknown> = { jsonrpc: "2.0", method: "x" };
    cycle["params"] = cycle;
    log.add({ direction: "in", message: cycle });
    log.add({ direction: "in", message: { jsonrpc: "2.0", method: "x", params: {} } });
    await expect.poll(numbers).toEqual([2]);
  });
});

describe("the partner of a message", () => {
  const answer = (id: number) => ({ jsonrpc: "2.0", id, result: {} });

  it("is the answer to a request, and the request of an answer", () => {
    const log = new AppLog();
    const first = log.add({ direction: "in", message: call(1, "") });
    const second = log.add({ direction: "in", message: call(2, "") });
    // The host is counted separately.
    const ping = log.add({ direction: "out", message: { jsonrpc: "2.0", id: 1, method: "ping" } });
    const late = log.add({ direction: "out", message: answer(1) });
    const pong = log.add({ direction: "in", message: answer(1) });
    const { messages } = log;
    expect(partnerOf(messages, first)).toBe(late);
    expect(partnerOf(messages, late)).toBe(first);
    expect(partnerOf(messages, ping)).toBe(pong);
    expect(partnerOf(messages, pong)).toBe(ping);
    expect(partnerOf(messages, second)).toBeUndefined();
  });

  it("is not the answer to another request with the same id, after the app restarted", () => {
    const log = new AppLog();
    const before = log.add({ direction: "in", message: call(1, "") });
    const after = log.add({ direction: "in", message: call(1, "") });
    const found = log.add({ direction: "out", message: answer(1) });
    expect(partnerOf(log.messages, before)).toBeUndefined();
    expect(partnerOf(log.messages, after)).toBe(found);
    expect(partnerOf(log.messages, found)).toBe(after);
  });

  it("is found after the log has forgotten some", () => {
    const log = new AppLog();
    log.add({ direction: "in", message: call(1, "") });
    log.clear();
    const request = log.add({ direction: "in", message: call(2, "") });
    const found = log.add({ direction: "out", message: answer(2) });
    expect(partnerOf(log.messages, request)).toBe(found);
  });

  it("does not exist for a notification", () => {
    const log = new AppLog();
    const notice = log.add({ direction: "in", message: { jsonrpc: "2.0", method: "x" } });
    expect(partnerOf(log.messages, notice)).toBeUndefined();
  });
});
