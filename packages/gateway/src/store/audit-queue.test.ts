import { GatewayError } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { AuditQueue, type WaitingRow } from "./audit-queue.js";

const row = (user: string, more: Partial<WaitingRow> = {}): WaitingRow => ({
  fields: { kind: "entry", user },
  time: 0,
  weight: 100,
  ...more,
});
const users = (rows: readonly WaitingRow[]) => rows.map(({ fields }) => fields.user);

describe("the audit queue", () => {
  it("takes one entry of each user in turn, so that the entry of one is in the next commit however many another has", () => {
    const queue = new AuditQueue({ waiting: 10_000, weight: 64_000_000 });
    for (let n = 0; n < 1000; n++) queue.addEntry(row("ann"));
    queue.addEntry(row("bea"));
    queue.addEntry(row("cal"));
    const { entries } = queue.group();
    // The others wait for few of hers.
    expect(entries).toHaveLength(16 + 1 + 1);
    expect(users(entries).slice(0, 4)).toEqual(["ann", "bea", "cal", "ann"]);
    queue.resolveEntries(1);
    expect(queue.size).toBe(984);
    // Those of one user stay in their order.
    queue.addEntry(row("bea", { time: 1 }));
    queue.addEntry(row("bea", { time: 2 }));
    const next = queue.group().entries.filter(({ fields }) => fields.user === "bea");
    expect(next.map(({ time }) => time)).toEqual([1, 2]);
  });

  it("takes many entries of a user who is alone", () => {
    const queue = new AuditQueue({ waiting: 10_000, weight: 64_000_000 });
    for (let n = 0; n < 1000; n++) queue.addEntry(row("ann"));
    expect(queue.group().entries).toHaveLength(128);
  });

  it("takes as many outcomes as entries, so that neither wait for all of the others", () => {
    const queue = new AuditQueue({ waiting: 10_000, weight: 64_000_000 });
    for (let n = 0; n < 1000; n++) queue.addOutcome(row("ann"));
    expect(queue.group()).toMatchObject({ outcomes: { length: 128 }, entries: [] });
    for (let n = 0; n < 1000; n++) queue.addEntry(row("ann"));
    expect(queue.group()).toMatchObject({ outcomes: { length: 64 }, entries: { length: 64 } });
    queue.resolveEntries(1);
    queue.addEntry(row("bea"));
    const { outcomes, entries } = queue.group();
    expect([outcomes.length, entries.length, users(entries).includes("bea")]).toEqual([17, 17, true]);
    // A large outcome is written even if the entries take the space.
    const large = new AuditQueue({ waiting: 100, weight: 64_000_000 });
    large.addOutcome(row("ann", { weight: 4_000_000 }));
    large.addEntry(row("ann", { weight: 1_900_000 }));
    expect(large.group()).toMatchObject({ outcomes: { length: 1 }, entries: { length: 1 } });
  });

  it("repeats the same commit until it is done, and numbers its entries", () => {
    const numbers: number[] = [];
    const queue = new AuditQueue({ waiting: 100, weight: 1_000_000 });
    queue.addEntry(row("ann", { resolve: (seq) => numbers.push(seq) }));
    const first = queue.group().entries;
    queue.addEntry(row("bea", { resolve: (seq) => numbers.push(seq) }));
    expect(queue.group().entries).toEqual(first);
    queue.resolveEntries(7);
    expect([numbers, queue.size]).toEqual([[7], 1]);
    queue.group();
    queue.resolveEntries(8);
    expect([numbers, queue.size]).toEqual([[7, 8], 0]);
  });

  it("cannot be filled by one user", () => {
    const queue = new AuditQueue({ waiting: 1000, weight: 64_000_000 });
    let count = 0;
    while (queue.hasRoom("ann", 100)) {
      queue.addEntry(row("ann"));
      count++;
    }
    expect([count, queue.hasRoom("bea", 100)]).toEqual([751, true]);
    // By size as well.
    const small = new AuditQueue({ waiting: 1000, weight: 40_000_000 });
    let rows = 0;
    for (; small.hasRoom("ann", 1_000_000); rows++) small.addEntry(row("ann", { weight: 1_000_000 }));
    expect([rows, small.hasRoom("bea", 1_000_000)]).toEqual([30, true]);
  });

  it("rejects all entries, also those of the next commit", () => {
    const rejected: string[] = [];
    const queue = new AuditQueue({ waiting: 1000, weight: 1_000_000 });
    for (const user of ["ann", "bea"]) queue.addEntry(row(user, { reject: () => rejected.push(user) }));
    queue.group();
    queue.addEntry(row("cal", { reject: () => rejected.push("cal") }));
    expect(queue.rejectEntries(new GatewayError("audit-failed", "the disk is full"))).toBe(3);
    expect([rejected, queue.size, queue.group().entries]).toEqual([["ann", "bea", "cal"], 0, []]);
  });
});
