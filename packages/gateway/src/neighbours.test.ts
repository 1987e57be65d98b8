/** Users of one gateway, of whom one takes more than a share. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../testing/gateway/entry-points.js";

let entryPoints: EntryPoints;

beforeAll(async () => {
  const limits = { concurrency: { total: 4 } };
  const shop = { stateless: true, policy: { "tools/call": "allow" as const }, limits };
  entryPoints = await EntryPoints.open(["ann", "bea", "cal"], { shop });
}, 60_000);
afterAll(() => entryPoints.close());

const restart = (page: RawPage) => page.request("gateway/restart", { server: "shop" });
const callsSince = (count: number) => entryPoints.calls.slice(count);

describe("a server that users share", () => {
  it("is not restarted by a page while calls of other users run in it", async () => {
    const [ann, bea] = [
      await entryPoints.page("ann", "websocket"),
      await entryPoints.page("bea", "websocket"),
    ];
    const before = entryPoints.calls.length;
    const view = (await bea.request("gateway/open", { server: "shop", tool: "show" })).view;
    const waiting = bea.ask(view, "tools/call", { name: "wait", arguments: {} });
    waiting.catch(() => {});
    await expect.poll(() => callsSince(before)).toContain("tools/call wait");

    await expect(restart(ann)).rejects.toMatchObject({
      data: { code: "server-in-use" },
      message: expect.stringContaining("ask the operator"),
    });
    // Her own call does not count.
    await expect(restart(bea)).resolves.toMatchObject({ state: "ready" });
    await expect(waiting).rejects.toMatchObject({ data: { code: "server-exited" } });

    // Others wait while it starts, so the next restart must wait longer than for a server of one's own.
    const refusal = await restart(bea).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ data: { code: "rate-limited" } });
    expect((refusal as { data: { retryAfter: number } }).data.retryAfter).toBeGreaterThan(20_000);
  });

  it("always has a place for the call of another user, however many long calls one has", async () => {
    const [ann, bea] = [await entryPoints.page("ann", "websocket"), await entryPoints.page("bea", "http")];
    const waits = () => callsSince(before).filter((each) => each === "tools/call wait").length;
    const before = entryPoints.calls.length;
    const stop = Array.from({ length: 20 }, () => {
      const id = ann.nextId();
      ann.send(".", { id, method: "gateway/call", params: { server: "shop", name: "wait" } });
      return () => ann.send(".", { method: "notifications/cancelled", params: { requestId: id } });
    });
    await expect.poll(waits).toBe(3);
    const params = { server: "shop", name: "look" };
    await expect(bea.request("gateway/call", params)).resolves.toBeDefined();
    expect(waits()).toBe(3);
    for (const cancel of stop) cancel();
    await expect(ann.request("gateway/call", params)).resolves.toBeDefined();
  });
});
