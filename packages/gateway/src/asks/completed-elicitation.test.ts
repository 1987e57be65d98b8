/**
 * A user was sent to a web page of a server: the server reports its completion, and the user's pages are
 * notified.
 */
import { fileURLToPath } from "node:url";
import type { ElicitationQuestion } from "@vitrine/wire";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../../testing/gateway/entry-points.js";

const V1 = fileURLToPath(new URL("../../../../testing/gateway/asking-v1-server.mjs", import.meta.url));
const url = "https://example.com/sign-in";

let gatewayEntry: EntryPoints;
let page: RawPage;
let other: RawPage;
beforeAll(async () => {
  gatewayEntry = await EntryPoints.open(["ann", "bea"], { more: { asking: { args: [V1] } } });
});
afterAll(async () => gatewayEntry?.close());
beforeEach(async () => {
  other = await gatewayEntry.page("ann", "websocket");
  // The newest page is asked.
  page = await gatewayEntry.page("ann", "websocket");
});

const call = (name: string, input: Record<string, unknown>): Promise<unknown> =>
  page.request("gateway/call", { server: "asking", name, arguments: input });
const ask = (elicitationId: string): Promise<unknown> =>
  call("ask", {
    method: "elicitation/create",
    params: { mode: "url", message: "Sign in", url, elicitationId },
  });

describe("a web page that a user was sent to", () => {
  it("is reported as completed in all of the user's pages, and in no others", async () => {
    const stranger = await gatewayEntry.page("bea", "websocket");
    const asked: ElicitationQuestion[] = [];
    page.answers["gateway/elicit"] = (question: ElicitationQuestion) => {
      asked.push(question);
      return { action: "accept" };
    };
    expect(JSON.stringify(await ask("e1"))).toContain("accept");
    expect(asked).toMatchObject([{ mode: "url", url, server: "asking", elicitationId: "e1" }]);
    expect(page.notices("gateway/elicited")).toEqual([]);
    await call("complete", { elicitationId: "e1" });
    for (const each of [page, other])
      await expect
        .poll(() => each.notices("gateway/elicited"))
        .toEqual([{ server: "asking", elicitationId: "e1" }]);
    // Unknown or completed ids are not reported.
    await call("complete", { elicitationId: "e1" });
    await call("complete", { elicitationId: "e2" });
    await page.request("gateway/servers", {});
    expect(page.notices("gateway/elicited")).toHaveLength(1);
    await stranger.request("gateway/servers", {});
    expect(stranger.notices("gateway/elicited")).toEqual([]);
  });

  it("is no longer asked about when the server reports its completion: the question is removed without an approval", async () => {
    let isAsked = false;
    page.answers["gateway/elicit"] = () => {
      isAsked = true;
      return new Promise(() => {});
    };
    const asking = ask("e3");
    await expect.poll(() => isAsked).toBe(true);
    await call("complete", { elicitationId: "e3" });
    expect(JSON.stringify(await asking)).toContain("cancel");
    await expect.poll(() => page.notices("gateway/withdrawn")).toHaveLength(1);
  });
});
