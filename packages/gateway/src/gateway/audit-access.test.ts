import { describe, expect, it } from "vitest";
import type { AuditLog, StoredAuditRow, Verification } from "../store/store.js";
import { AuditAccess } from "./audit-access.js";

const row = (seq: number): StoredAuditRow => ({ seq, time: 0, kind: "entry", hash: "" });

const log = (): Pick<AuditLog, "rows" | "verify"> & {
  verified: number;
  end: (found: Verification) => void;
} => {
  let end: (found: Verification) => void = () => {};
  const made = {
    verified: 0,
    end: (found: Verification) => end(found),
    async *rows() {
      for (let seq = 1; seq <= 3; seq++) yield row(seq);
    },
    verify() {
      made.verified++;
      return new Promise<Verification>((resolve) => {
        end = resolve;
      });
    },
  };
  return made;
};

const overloaded = { data: { code: "overloaded", retryAfter: 10 } };

describe("access to the audit log", () => {
  it("verifies once for all who ask meanwhile, and again for those who ask later", async () => {
    const audit = log();
    const access = new AuditAccess(audit);
    const all = [access.verify(), access.verify()];
    audit.end({ ok: true, rows: 1, head: "a" });
    expect(await Promise.all(all)).toEqual([1, 1].map((rows) => ({ ok: true, rows, head: "a" })));
    expect(audit.verified).toBe(1);
    void access.verify();
    expect(audit.verified).toBe(2);
  });

  it("allows one export of a user and four in total at a time", async () => {
    const access = new AuditAccess(log());
    const first = access.rows("a", {});
    await first.next();
    await expect(access.rows("a", {}).next()).rejects.toMatchObject({
      ...overloaded,
      message: expect.stringContaining("your previous export"),
    });
    await first.return(undefined);
    const running = ["a", "b", "c", "d"].map((user) => access.rows(user, {}));
    for (const each of running) expect((await each.next()).value).toMatchObject({ seq: 1 });
    await expect(access.rows("a", {}).next()).rejects.toMatchObject(overloaded);
    await expect(access.rows("e", {}).next()).rejects.toMatchObject(overloaded);
    // A reader that disconnects, and one that reads to the end.
    await running[0]?.return(undefined);
    for await (const _ of running[1] ?? []);
    for (const user of ["a", "e"]) expect((await access.rows(user, {}).next()).done).toBe(false);
  });

  it("ends an export whose reader does not read, so that others can export", async () => {
    const access = new AuditAccess(log(), 20);
    const stalled = ["a", "b", "c", "d"].map((user) => access.rows(user, {}));
    for (const each of stalled) await each.next();
    await expect
      .poll(async () => {
        const next = access.rows("e", {});
        const found = await next.next().catch(() => undefined);
        await next.return(undefined);
        return found?.value;
      })
      .toMatchObject({ seq: 1 });
    await expect(stalled[0]?.next()).rejects.toMatchObject(overloaded);
  });
});
