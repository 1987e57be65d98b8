import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "./open.js";
import type { AuditEntry } from "./store.js";

const HOUR = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), "vitrine-results-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

let files = 0;
const newFile = (): string => join(folder, `results-${++files}.db`);

/** The number of results in the file, and the highest entry number among them. */
function countIn(file: string): unknown {
  const connection = new Libsql(file, { readonly: true });
  try {
    return connection.prepare("select count(*), max(seq) from vitrine_results").raw().get([]);
  } finally {
    connection.close();
  }
}

const entry: AuditEntry = {
  user: "ann",
  actor: "http",
  server: "shop",
  method: "tools/call",
  decision: "allowed",
  reason: "policy",
  key: "k",
};

describe("stored results", () => {
  it("are removed when they expire, even while the gateway is idle", async () => {
    const file = newFile();
    let now = 1000;
    const store = await openStore(`sqlite:${file}`, { now: () => now });
    store.results.keep(1, '{"secret":1}');
    await expect.poll(() => countIn(file)).toEqual([1, 1]);
    now += HOUR - 1;
    vi.advanceTimersByTime(HOUR / 2);
    expect(await store.results.find(1)).toBe('{"secret":1}');
    now += 1;
    expect(await store.results.find(1)).toBeUndefined();
    vi.advanceTimersByTime(HOUR / 2);
    await expect.poll(() => countIn(file)).toEqual([0, null]);
    await store.close();
  });

  it("are limited in number after 1,000 others", async () => {
    const file = newFile();
    const store = await openStore(`sqlite:${file}`);
    for (let seq = 1; seq <= 12_000; seq++) {
      store.results.keep(seq, "{}");
      if (seq % 1000 === 0) await expect.poll(() => countIn(file)).toEqual([Math.min(seq, 10_000), seq]);
    }
    expect(await store.results.find(2000)).toBeUndefined();
    expect(await store.results.find(2001)).toBe("{}");
    await store.close();
  });

  it("are removed with the rows of their calls", async () => {
    const file = newFile();
    const store = await openStore(`sqlite:${file}`, { now: () => 1000 });
    const seq = await store.audit.begin(entry);
    store.audit.end(seq, { outcome: "ok", duration: 1 });
    store.results.keep(seq, "{}");
    await expect.poll(() => countIn(file)).toEqual([1, 1]);
    await store.audit.prune(2000);
    expect(countIn(file)).toEqual([0, null]);
    await store.close();
  });
});
