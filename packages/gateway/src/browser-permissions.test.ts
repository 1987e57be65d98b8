/** Browser permissions of apps after a revocation or a new policy, when the page is reloaded. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EntryPoints, pageStorage, type RawPage } from "../../../testing/gateway/entry-points.js";

let gatewayEntry: EntryPoints;
let reload: (answer?: RawPage["answer"]) => Promise<RawPage>;
const cameraOf = async (page: RawPage) => {
  const { views } = await page.request("gateway/views", {});
  return views.map(({ place }) => place?.permissions);
};

beforeEach(async () => {
  gatewayEntry = await EntryPoints.open(["ann"]);
}, 60_000);
afterEach(() => gatewayEntry?.close());

describe.each(["once", "session", "always"] as const)("a camera that was allowed (%s)", (remember) => {
  beforeEach(async () => {
    const storage = pageStorage();
    const page = await gatewayEntry.page("ann", "websocket", storage, () => ({ answer: "allow", remember }));
    const opened = await page.request("gateway/open", { server: "shop", tool: "camera" });
    expect([page.asked.length, opened.place?.permissions]).toEqual([1, { camera: {} }]);
    reload = (answer) => {
      const kept = storage.copy();
      page.leave();
      return gatewayEntry.page("ann", "websocket", kept, answer);
    };
  });

  it("stays allowed when the page is reloaded", async () => {
    const page = await reload();
    expect(await cameraOf(page)).toEqual([{ camera: {} }]);
    expect(page.asked).toEqual([]);
  });

  it("S09: is asked about again after a revocation", async () => {
    await gatewayEntry.gateway.api.consents.revoke({ user: "ann" }, { server: "shop" });
    const page = await reload(() => ({ answer: "deny" }));
    expect(await cameraOf(page)).toEqual([{}]);
    expect(page.asked.map(({ subject }) => subject)).toEqual(["camera"]);
  });

  it("S09: is gone when the operator denies it", async () => {
    await gatewayEntry.update({ shop: {} }, { policy: { "ui/permission:camera": "deny" } });
    const page = await reload();
    expect(await cameraOf(page)).toEqual([{}]);
    expect(page.asked).toEqual([]);
  });
});
