import { ToolDirectory } from "@vitrine/guard";
import { describe, expect, it, vi } from "vitest";
import { memoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { type AskedKey, CONSENT_DAYS, UserConsents } from "./consents.js";

function setUp(store = memoryStore(), user = "ann") {
  const clock = { time: 1_000_000 };
  const tools = new ToolDirectory(stageServer().upstream);
  const consents = new UserConsents({
    user,
    identity: "1",
    consents: store.consents,
    tools,
    now: () => clock.time,
    uis: async () => [],
    sessionOf: ({ view }) => `session of ${view}`,
  });
  return { store, consents, clock, get: vi.spyOn(store.consents, "get") };
}

const key = (more: Partial<AskedKey> = {}): AskedKey => ({
  server: "shop",
  method: "tools/call",
  subject: "change",
  fingerprint: "the tool's",
  view: "v1",
  ...more,
});

describe("UserConsents", () => {
  it('stores an "always" answer on disk, with its expiration', async () => {
    const { consents, store } = setUp();
    await consents.set(key(), "allow", "always");
    expect(store.records).toEqual([
      {
        user: "ann",
        server: "shop",
        identity: "1",
        method: "tools/call",
        subject: "",
        actor: "app",
        answer: "allow",
        grantedAt: 1_000_000,
        expiresAt: 1_000_000 + CONSENT_DAYS * 24 * 3_600_000,
        fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
      },
    ]);
    expect(await consents.get(key({ view: "v2", subject: "set" }))).toBe("allow");
  });

  it("keeps an answer for the session in memory only", async () => {
    const { consents, store } = setUp();
    await consents.set(key(), "deny", "session");
    expect(store.records).toEqual([]);
    expect(await consents.get(key())).toBe("deny");
    expect(await consents.get(key({ view: "v2" }))).toBeUndefined();
    consents.endSession("session of v1");
    expect(await consents.get(key())).toBeUndefined();
  });

  it('treats "always" as "for this session" where that is the maximum', async () => {
    const { consents, store } = setUp();
    const download = key({ method: "ui/download-file", subject: "", fingerprint: "" });
    await consents.set(download, "allow", "always");
    expect(store.records).toEqual([]);
    expect(await consents.get(download)).toBe("allow");
  });

  it.each(["wipe", "gone"])("never remembers an answer about %s", async (subject) => {
    const { consents, store } = setUp();
    await consents.set(key({ subject }), "allow", "always");
    await consents.set(key({ subject }), "allow", "session");
    expect([store.records, await consents.get(key({ subject }))]).toEqual([[], undefined]);
  });

  it("separates users", async () => {
    const { consents, store } = setUp();
    await consents.set(key(), "allow", "always");
    expect(await setUp(store, "bob").consents.get(key())).toBeUndefined();
    expect(await setUp(store, "ann").consents.get(key())).toBe("allow");
  });

  it("reads the database at most once per second, and again after a revocation", async () => {
    const { consents, store, clock, get } = setUp();
    await consents.set(key(), "allow", "always");
    for (let n = 0; n < 10; n++) await consents.get(key());
    expect(get).toHaveBeenCalledTimes(1);
    await store.consents.revoke("ann", { server: "shop" });
    clock.time += 1000;
    expect(await consents.get(key())).toBeUndefined();
    await consents.set(key(), "allow", "always");
    await consents.get(key());
    await store.consents.revoke("ann", { server: "shop" });
    consents.revoked();
    expect(await consents.get(key())).toBeUndefined();
  });

  it("a clock that is set back extends nothing", async () => {
    const { consents, store, clock } = setUp();
    await consents.set(key(), "allow", "always");
    await consents.get(key());
    await store.consents.revoke("ann", { server: "shop" });
    clock.time -= 1_000_000;
    expect(await consents.get(key())).toBeUndefined();
  });

  it("fails if the database fails", async () => {
    const { consents, store } = setUp();
    store.failing.get = new Error("locked");
    await expect(consents.get(key())).rejects.toThrow("locked");
    store.failing.set = new Error("full");
    await expect(consents.set(key(), "allow", "always")).rejects.toThrow("full");
  });

  it("keeps a bounded number of sessions", async () => {
    const { consents } = setUp();
    for (let n = 0; n <= 1000; n++) await consents.set(key({ view: `v${n}` }), "allow", "session");
    expect(await consents.get(key({ view: "v0" }))).toBeUndefined();
    expect(await consents.get(key({ view: "v1000" }))).toBe("allow");
  });
});
