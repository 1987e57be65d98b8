import { describe, expect, it } from "vitest";
import { capacity, capacityOf } from "./capacity.js";

const GB = 2 ** 30;

describe("the capacity of a process", () => {
  it("is limited by the files that it may open, with a rest for the database and servers", () => {
    const { connections, sockets, sessions } = capacityOf({ files: 20_000, memory: 4 * GB });
    expect([connections, sockets, sessions]).toEqual([18_976, 18_027, 18_027]);
    expect(capacityOf({ files: 256, memory: 4 * GB }).connections).toBe(192);
  });

  it("is limited by memory, of which sessions take no more than half", () => {
    const { connections, sessions } = capacityOf({ files: 1_000_000, memory: 4 * GB });
    expect([connections, sessions]).toEqual([998_976, 65_536]);
  });

  it("is never zero", () => {
    expect(capacityOf({ files: 10, memory: 1000 })).toEqual({ connections: 16, sockets: 15, sessions: 16 });
  });

  it("of this process is known", () => {
    expect(capacity().sessions).toBeGreaterThan(100);
    expect(capacity().sockets).toBeLessThan(capacity().connections);
  });
});
