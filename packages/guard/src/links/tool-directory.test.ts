import { JsonText } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeUpstream, tool, visibleTo } from "../../../../testing/fake-upstream.js";
import * as examples from "./guard.examples.js";
import { fingerprint, ToolDirectory } from "./tool-directory.js";

const names = (tools: { name: string }[]) => tools.map(({ name }) => name);
const listed = (...tools: unknown[]) => ({ "tools/list": () => ({ tools }) });

describe("ToolDirectory", () => {
  it("C02: the model's tools are those with model in their visibility", async () => {
    const upstream = fakeUpstream(
      listed(tool("a"), tool("b", visibleTo("app")), tool("c", visibleTo("model"))),
    );
    const { forTheModel, forViews } = await examples.toolDirectoryExample(upstream);
    expect(names(forTheModel)).toEqual(["a", "c"]);
    expect(names(forViews)).toEqual(["a", "b"]);
  });

  it("lists all pages, once for all concurrent and later callers", async () => {
    const upstream = fakeUpstream({
      "tools/list": ({ cursor }) =>
        cursor === "2"
          ? new JsonText(JSON.stringify({ tools: [tool("b")] }))
          : { tools: [tool("a")], nextCursor: "2" },
    });
    const tools = new ToolDirectory(upstream);
    const found = await Promise.all([tools.find("a"), tools.find("b"), tools.find("c"), tools.forApp()]);
    expect(found.map(Boolean)).toEqual([true, true, false, true]);
    await tools.find("a");
    expect(upstream.asked).toHaveLength(2);
  });

  it("is bounded: a server whose list never ends is asked a hundred times", async () => {
    const upstream = fakeUpstream({ "tools/list": () => ({ tools: [tool("a")], nextCursor: "again" }) });
    expect(names(await new ToolDirectory(upstream).forApp())).toEqual(["a"]);
    expect(upstream.asked).toHaveLength(100);
  });

  it("is bounded: of a list that is too long the end is unknown", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`));
    const tools = new ToolDirectory(
      fakeUpstream({ "tools/list": () => ({ tools: many, nextCursor: "more" }) }),
    );
    expect(await tools.find("t9999")).toBeDefined();
    expect(await tools.find("t10000")).toBeUndefined();
  });

  it("lists again after list_changed, and stops listening when closed", async () => {
    const upstream = fakeUpstream(listed());
    const tools = new ToolDirectory(upstream);
    expect(await tools.find("a")).toBeUndefined();
    Object.assign(upstream.answers, listed(tool("a")));
    expect(await tools.find("a")).toBeUndefined();
    upstream.say("notifications/resources/list_changed");
    expect(await tools.find("a")).toBeUndefined();
    upstream.say("notifications/tools/list_changed");
    expect(await tools.find("a")).toBeDefined();
    tools.close();
    expect(upstream.listeners).toBe(0);
  });

  it("C03: a list that changed while it was on its way is not used", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const upstream = fakeUpstream({
      "tools/list": async () => {
        await gate;
        return { tools: [tool("a", visibleTo(upstream.asked.length === 1 ? "app" : "model"))] };
      },
    });
    const tools = new ToolDirectory(upstream);
    const first = tools.forApp();
    upstream.say("notifications/tools/list_changed");
    const second = tools.forApp();
    release();
    expect(names(await first)).toEqual([]);
    expect(names(await second)).toEqual([]);
    // Listings do not run twice at once: the second caller shares the running one.
    expect(upstream.asked).toHaveLength(2);
  });

  it("a server that always reports changes is listed a few times, and not cached", async () => {
    const upstream = fakeUpstream({
      "tools/list": () => {
        upstream.say("notifications/tools/list_changed");
        return { tools: [tool("a")] };
      },
    });
    const tools = new ToolDirectory(upstream);
    expect(await tools.find("a")).toBeDefined();
    expect(upstream.asked).toHaveLength(3);
    await tools.find("a");
    expect(upstream.asked).toHaveLength(6);
  });

  it("gives the same map of all tools until they are listed again", async () => {
    const upstream = fakeUpstream(listed(tool("a", visibleTo("model")), tool("b", visibleTo("app"))));
    const tools = new ToolDirectory(upstream);
    const all = await tools.all();
    expect([...all.keys()]).toEqual(["a", "b"]);
    expect(await tools.all()).toBe(all);
    upstream.say("notifications/tools/list_changed");
    expect(await tools.all()).not.toBe(all);
  });

  it("keeps no failure", async () => {
    const upstream = fakeUpstream({
      "tools/list": () => {
        throw new Error("away");
      },
    });
    const tools = new ToolDirectory(upstream);
    await expect(tools.find("a")).rejects.toThrow("away");
    Object.assign(upstream.answers, listed(tool("a")));
    expect(await tools.find("a")).toBeDefined();
  });

  it("asks nothing of a server without tools", async () => {
    const upstream = { ...fakeUpstream(), capabilities: {} };
    expect(await new ToolDirectory(upstream).forModel()).toEqual([]);
    expect(upstream.asked).toEqual([]);
  });

  it("leaves malformed tools out, and no others", async () => {
    const bad = [null, 1, "a", {}, { name: 1 }, { name: "x" }, { name: "y", inputSchema: [] }];
    const tools = new ToolDirectory(fakeUpstream(listed(...bad, tool("good"), ...bad)));
    expect(names(await tools.forApp())).toEqual(["good"]);
  });

  it("of two tools with one name the first counts", async () => {
    const tools = new ToolDirectory(fakeUpstream(listed(tool("a", visibleTo("model")), tool("a"))));
    expect(names(await tools.forApp())).toEqual([]);
  });

  it("survives any answer", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (answer) => {
        const tools = new ToolDirectory(fakeUpstream({ "tools/list": () => answer }));
        expect(await tools.find("__proto__")).toBeUndefined();
        const one = new ToolDirectory(fakeUpstream(listed(answer)));
        expect(await one.find("constructor")).toBeUndefined();
      }),
    );
  });
});

describe("fingerprint", () => {
  const base = tool("pay", { description: "Pays", annotations: { readOnlyHint: false } });
  const of = (more: object) => fingerprint({ ...base, ...more } as never);

  it("attack C23: differs when anything differs that the user approved", () => {
    const all = [
      {},
      { name: "pay2" },
      { title: "Refund" },
      { description: "Pays all" },
      { inputSchema: { type: "object", properties: { to: {} } } },
      { annotations: { readOnlyHint: true } },
    ].map(of);
    expect(new Set(all).size).toBe(all.length);
  });

  it("is the same for the same tool in another order of keys, and with other metadata", () => {
    const one = of({ inputSchema: { type: "object", a: { x: 1, y: 2 } }, _meta: { seen: 1 } });
    expect(of({ inputSchema: { a: { y: 2, x: 1 }, type: "object" } })).toBe(one);
  });

  it("attack C23: two descriptions share one only if they are the same JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(of({ inputSchema: { a } }) === of({ inputSchema: { a: b } })).toBe(same);
      }),
    );
  });

  it("reports whether a tool is still the approved one", async () => {
    const upstream = fakeUpstream(listed(base));
    const tools = new ToolDirectory(upstream);
    expect(await examples.fingerprintExample(tools)).toBe(true);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, sorted(part)]);
  return { entries: entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) };
}
