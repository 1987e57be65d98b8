/** A remembered approval of tools is for the apps of a server or for the model, and for the tools that these may call. */
import { expect, it, vi } from "vitest";
import { tool, visibleTo } from "../../../../testing/fake-upstream.js";
import { memoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { gatewayGuard } from "./gateway-guard.js";
import type { GatewayAsk } from "./guard-options.js";

function setUp(policy: Record<string, "ask"> = {}) {
  const server = stageServer({ policy });
  const store = memoryStore();
  const ask = vi.fn<GatewayAsk>(async () => ({ answer: "allow", remember: "always" }));
  const guard = gatewayGuard({
    server,
    user: "ann",
    store,
    ask,
    views: (view) => (view === "v1" ? { session: "s1" } : undefined),
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
  });
  /** Lists `change`, which everybody may call, `pay`, and more. */
  const list = (who: ("app" | "model")[], description = "Pays", ...more: object[]) => {
    const pay = tool("pay", { description, ...visibleTo(...who) });
    server.upstream.answers["tools/list"] = () => ({ tools: [tool("change"), pay, ...more] });
    server.upstream.say("notifications/tools/list_changed");
  };
  const call = (actor: "view" | "model" | "http", name: string) => {
    const view = actor === "view" ? "v1" : "c1";
    const method = "tools/call";
    const params = { name, arguments: {} };
    return guard.pass({ actor, user: "ann", view, server: "shop", method, params }, async () => ({}));
  };
  return { ask, store, list, call };
}

it.each([
  ["view", "model"],
  ["model", "view"],
] as const)("attack C23: an approval of a call by the %s does not cover the %s", async (first, second) => {
  const { ask, store, list, call } = setUp();
  list(["app", "model"]);
  await call(first, "change");
  await call(first, "pay");
  expect(ask).toHaveBeenCalledTimes(1);
  await call(second, "pay");
  expect(ask).toHaveBeenCalledTimes(2);
  // Neither answer replaces the other.
  await call(first, "change");
  await call(second, "change");
  expect(ask).toHaveBeenCalledTimes(2);
  expect(store.records.map(({ actor }) => actor).toSorted()).toEqual(["app", "model"]);
});

it("an approval of one tool that the operator wants asked about is for its caller alone", async () => {
  const { ask, list, call } = setUp({ "tools/call:pay": "ask" });
  list(["app", "model"]);
  for (const actor of ["view", "model", "view", "model"] as const) await call(actor, "pay");
  expect(ask.mock.calls.map(([{ scope }]) => scope)).toEqual(["the tool pay", "the tool pay"]);
});

it.each([
  ["apps", "view", "model", "app"],
  ["the model", "model", "app", "model"],
] as const)(
  "attack C23: a tool that becomes visible to %s is asked about",
  async (_who, actor, before, after) => {
    const { ask, list, call } = setUp();
    list([before]);
    await call(actor, "change");
    await expect(call(actor, "pay")).rejects.toMatchObject({ data: { code: "tool-not-visible" } });
    list([after]);
    await call(actor, "pay");
    expect(ask).toHaveBeenCalledTimes(2);
  },
);

it("tools that only the model may call can change without ending an approval for apps", async () => {
  const { ask, list, call } = setUp();
  list(["model"]);
  await call("view", "change");
  list(["model"], "Pays at once", tool("refund", visibleTo("model")));
  await call("view", "change");
  expect(ask).toHaveBeenCalledTimes(1);
  list(["model"], "Pays at once", tool("refund"));
  await call("view", "change");
  expect(ask).toHaveBeenCalledTimes(2);
});

it("the question says for whom an approval is", async () => {
  const { ask, list, call } = setUp();
  list(["app", "model"]);
  await call("view", "change");
  await call("model", "change");
  expect(ask.mock.calls.map(([{ reason, scopeNote }]) => [reason, scopeNote])).toEqual([
    [
      expect.stringMatching(/^The app wants/),
      expect.stringMatching(/that apps may call, .* The model is asked about/),
    ],
    [
      expect.stringMatching(/^The model wants/),
      expect.stringMatching(/that the model may call, .* Apps are asked about/),
    ],
  ]);
});

it("programs over HTTP share the approvals of apps, whose tools they call", async () => {
  const { ask, list, call } = setUp();
  list(["model"]);
  await call("http", "change");
  await call("view", "change");
  expect(ask).toHaveBeenCalledTimes(1);
});
