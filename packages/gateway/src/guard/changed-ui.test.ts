/**
 * An approval covers a server's tools as its UIs use them: a changed UI is asked about again, an unchanged
 * one is not.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tool } from "../../../../testing/fake-upstream.js";
import { RawPage } from "../../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../../testing/gateway/gateway-stage.js";
import { memoryStore, STAGE_TOOLS, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { CatalogueCache } from "../../../servers/src/catalogue.js";
import { gatewayGuard } from "./gateway-guard.js";
import type { GatewayAsk } from "./guard-options.js";

const CART = "ui://shop/cart.html";
const HTML = "text/html;profile=mcp-app";
const cart = (more: object = {}) => ({ uri: CART, mimeType: HTML, text: "<p>Cart", ...more });

function setUp(store = memoryStore(), policy: Record<string, "ask"> = {}) {
  const server = stageServer({ policy });
  const { upstream } = server;
  const say = (document: object) => {
    upstream.answers["resources/read"] = () => ({ contents: [document] });
  };
  say(cart());
  const catalogue = new CatalogueCache(upstream);
  server.views = () => catalogue.views();
  const ask = vi.fn<GatewayAsk>(async () => ({ answer: "allow", remember: "always" }));
  const guard = gatewayGuard({
    server,
    user: "ann",
    store,
    ask,
    views: () => ({ session: "s1" }),
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
  });
  const call = (name = "change") =>
    guard.pass(
      {
        actor: "view",
        user: "ann",
        view: "v1",
        server: "shop",
        method: "tools/call",
        params: { name },
      },
      async () => ({}),
    );
  return { store, server, upstream, catalogue, ask, call, say };
}

type Stage = ReturnType<typeof setUp>;

const updated = ({ upstream }: Stage) => upstream.say("notifications/resources/updated", { uri: CART });
const relisted = ({ upstream }: Stage) => upstream.say("notifications/resources/list_changed");

const changes: [string, (stage: Stage) => void][] = [
  [
    "its document, as the server says of it",
    (stage) => {
      stage.say(cart({ text: "<p>Other" }));
      updated(stage);
    },
  ],
  [
    "its document, as the server says of all resources",
    (stage) => {
      stage.say(cart({ text: "<p>Other" }));
      relisted(stage);
    },
  ],
  [
    "what it may reach",
    (stage) => {
      stage.say(cart({ _meta: { ui: { csp: { connectDomains: ["https://evil.example"] } } } }));
      updated(stage);
    },
  ],
  [
    "that it can no longer be read",
    (stage) => {
      stage.say({ uri: CART });
      updated(stage);
    },
  ],
  [
    "its address",
    ({ upstream }) => {
      const tools = STAGE_TOOLS.map((each) =>
        each.name === "show" ? { ...each, _meta: { ui: { resourceUri: "ui://shop/other.html" } } } : each,
      );
      upstream.answers["tools/list"] = () => ({ tools });
      upstream.say("notifications/tools/list_changed");
    },
  ],
];

describe.each([
  ["all tools of a server", {}],
  ["one tool alone", { "tools/call:change": "ask" as const }],
])("an approval of %s", (_what, policy) => {
  it.each(changes)("attack C23: is required again when a UI changes: %s", async (_how, change) => {
    const stage = setUp(memoryStore(), policy);
    await stage.call();
    await stage.call();
    expect(stage.ask).toHaveBeenCalledTimes(1);
    change(stage);
    await stage.call();
    expect(stage.ask).toHaveBeenCalledTimes(2);
    await stage.call();
    expect(stage.ask).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["is read again without a change", updated],
    ["is listed again without a change", relisted],
    [
      "is not the changed resource",
      ({ upstream }: Stage) => upstream.say("notifications/resources/updated", { uri: "note://1" }),
    ],
  ])("attack C23: stays valid when a UI %s", async (_how, change) => {
    const stage = setUp(memoryStore(), policy);
    await stage.call();
    change(stage);
    await stage.call();
    expect(stage.ask).toHaveBeenCalledTimes(1);
  });

  it("attack C23: refers to the state of the server when the question was asked", async () => {
    const stage = setUp(memoryStore(), policy);
    stage.ask.mockImplementationOnce(async () => {
      stage.say(cart({ text: "<p>Other" }));
      updated(stage);
      return { answer: "allow", remember: "always" };
    });
    await stage.call();
    await stage.call();
    expect(stage.ask).toHaveBeenCalledTimes(2);
  });
});

it("attack C23: does not cover tools that change during the question", async () => {
  const { call, ask, upstream } = setUp();
  const tools = [tool("change"), tool("set", { description: "Sets everything" })];
  ask.mockImplementationOnce(async () => {
    upstream.answers["tools/list"] = () => ({ tools });
    upstream.say("notifications/tools/list_changed");
    return { answer: "allow", remember: "always" };
  });
  await expect(call("change")).rejects.toMatchObject({ data: { code: "not-allowed" } });
  await call("set");
  expect(ask).toHaveBeenCalledTimes(2);
});

it("attack C23: an unreadable UI blocks no call, and is asked about when it becomes readable", async () => {
  const { call, say, ask, upstream, catalogue } = setUp();
  upstream.answers["resources/read"] = () => {
    throw new Error("not now");
  };
  upstream.answers["prompts/list"] = upstream.answers["resources/read"];
  await call();
  await call();
  expect(ask).toHaveBeenCalledTimes(1);
  say(cart());
  expect(await catalogue.document(CART)).toMatchObject({ ok: true });
  await call();
  expect(ask).toHaveBeenCalledTimes(2);
});

it("reads documents once for any number of calls", async () => {
  const { call, upstream } = setUp();
  for (let n = 0; n < 10; n++) await call();
  expect(upstream.asked.filter((method) => method === "resources/read")).toHaveLength(1);
});

describe("a gateway", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-changed-ui-"));
    await writeFile(join(folder, "calls"), "");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs a gateway with the database of the previous one. */
  async function live(run: (page: RawPage, view: string) => Promise<void>): Promise<void> {
    const shop = {
      tools: [...STAGE_TOOLS, tool("control", { annotations: { readOnlyHint: true } })],
      documents: { [CART]: { mimeType: HTML, text: "<p>Cart" } },
      calls: join(folder, "calls"),
    };
    const { gateway } = await startTestGateway(
      {
        mcpServers: {
          shop: {
            command: process.execPath,
            args: [fileURLToPath(new URL("../../../../testing/gateway/shop-server.mjs", import.meta.url))],
            env: { SHOP: JSON.stringify(shop) },
            isolation: "process",
          },
        },
      },
      join(folder, "data"),
    );
    const page = new RawPage({ origin: gateway.origin, token: gateway.token ?? "", over: "websocket" });
    page.answer = () => ({ answer: "allow", remember: "always" });
    try {
      await run(page, (await page.request("gateway/open", { server: "shop", tool: "show" })).view);
    } finally {
      page.close();
      await gateway.close(0);
    }
  }

  it("attack C23: asks again about a changed UI, but not because of a restart", async () => {
    const change = { name: "change" };
    await live(async (page, view) => {
      await page.ask(view, "tools/call", change);
      await page.ask(view, "tools/call", change);
      expect(page.asked).toMatchObject([{ subject: "change" }]);
    });
    await live(async (page, view) => {
      await page.ask(view, "tools/call", change);
      expect(page.asked).toEqual([]);
      const put = (document: object) =>
        page.ask(view, "tools/call", { name: "control", arguments: { document, updated: CART } });
      await put({ text: "<p>Other" });
      await page.ask(view, "tools/call", change);
      expect(page.asked).toHaveLength(1);
      await put({ text: "<p>Other", _meta: { ui: { csp: { connectDomains: ["https://evil.example"] } } } });
      await page.ask(view, "tools/call", change);
      expect(page.asked).toHaveLength(2);
    });
    const calls = await readFile(join(folder, "calls"), "utf8");
    expect(calls.match(/tools\/call change/g)).toHaveLength(5);
  });
});
