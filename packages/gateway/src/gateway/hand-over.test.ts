/** A user is handed over to another gateway while others are served. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../../testing/gateway/entry-points.js";

let entry: EntryPoints;
let page: RawPage;
beforeEach(async () => {
  entry = await EntryPoints.open(["ann", "bea"], { shop: { policy: { "tools/call": "allow" } } });
  page = await entry.page("ann", "websocket");
}, 60_000);
afterEach(() => entry.close());

const call = (user: string, input: object = {}) =>
  entry.post(user, "/api/servers/shop/tools/call", { name: "look", arguments: input });

/** Running programs of servers. */
const programs = (): number =>
  [...entry.gateway.metrics.text().matchAll(/^vitrine_processes\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );

describe("a user who is handed over", () => {
  it("leaves when the calls that have begun are over, and other users notice nothing", async () => {
    const other = await entry.page("bea", "websocket");
    expect((await call("bea")).status).toBe(200);
    const before = entry.calls.length;
    const slow = page.request("gateway/call", { server: "shop", name: "show", arguments: { pause: 400 } });
    await expect.poll(() => entry.calls.slice(before)).toContain("tools/call show");
    expect(programs()).toBe(2);
    let isOver = false;
    const handed = entry.gateway.handOver("ann", 20_000).then(() => {
      isOver = true;
    });
    const refused = await call("ann");
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "stopping" } } });
    expect(isOver).toBe(false);
    await expect(slow).resolves.toBeDefined();
    await handed;
    expect(programs()).toBe(1);
    await expect.poll(() => page.state.phase).toBe("reconnecting");
    expect(other.state.phase).toBe("open");
    expect((await call("bea")).status).toBe(200);
    // The gateway itself is ready, and serves the user again when it may.
    expect(entry.gateway.api.ready()).toMatchObject({ ok: true });
    entry.gateway.accept("ann");
    await expect.poll(() => page.state.phase).toBe("open");
    expect(page.state).toMatchObject({ resumed: false });
    expect((await call("ann")).status).toBe(200);
  });

  it("takes an unanswered question along: it is asked again by the next gateway", async () => {
    page.answer = () => new Promise<never>(() => {});
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
    const opened = page.ask(view, "ui/open-link", { url: "https://example.com/" });
    opened.catch(() => {});
    await expect.poll(() => page.asked).toHaveLength(1);
    // The call has not begun, so nothing waits for it.
    await entry.gateway.handOver("ann", 3_600_000);
    await expect.poll(() => page.state.phase).toBe("reconnecting");
  });
});
