import type { GatewayClient } from "@vitrine/host/gateway";
import { VitrineError } from "@vitrine/protocol";
import type { ServerSummary } from "@vitrine/wire";
import { expect, it, vi } from "vitest";
import { Servers } from "./servers.js";

const summary = (state: ServerSummary["state"], more: Partial<ServerSummary> = {}): ServerSummary => ({
  name: "s",
  state,
  capabilities: {},
  ...more,
});

/** A gateway with one server; `catalogue` returns its catalogue. */
function stage(catalogue: () => Promise<unknown>) {
  const heard = new Map<string, (params: never) => void>();
  const asked: string[] = [];
  const gateway = {
    on: (method: string, listener: (params: never) => void) => heard.set(method, listener),
    request: async (method: string) => {
      if (method === "gateway/servers") return { servers: [summary("idle")] };
      asked.push(method);
      return method === "gateway/start" ? summary("ready") : catalogue();
    },
  } as unknown as GatewayClient;
  const tell = (said: ServerSummary): void => heard.get("gateway/status")?.(said as never);
  const change = (): void => heard.get("gateway/changed")?.({ server: "s" } as never);
  return { servers: new Servers(gateway), asked, tell, change };
}

const problem = { code: "failed", message: "no" };
const hopeless = async (): Promise<never> => {
  throw new Error("no");
};

it("a server that cannot be started is asked for its tools once, and then only by the user", async () => {
  const { servers, asked, tell } = stage(hopeless);
  await servers.load();
  await vi.waitFor(() => expect(servers.get("s")?.problem).toBe("no"));
  for (let times = 0; times < 3; times++) {
    tell(summary("starting"));
    tell(summary("idle", { problem }));
    tell(summary("starting"));
    tell(summary("idle"));
  }
  expect(asked).toEqual(["gateway/catalogue"]);
  await servers.start("s");
  expect(asked.slice(1)).toContain("gateway/start");
});

it("a server with a problem is not asked; when it is ready for the first time it is", async () => {
  const catalogue = {
    tools: [{ name: "a", title: {} }],
    resources: [],
    templates: [],
    prompts: [],
    views: [],
  };
  const { servers, asked, tell } = stage(async () => catalogue);
  tell(summary("idle", { problem }));
  expect(asked).toEqual([]);
  tell(summary("ready"));
  await vi.waitFor(() => expect(servers.get("s")?.catalogue?.tools).toHaveLength(1));
  expect(servers.get("s")?.catalogue?.tools[0]?.title).toBeUndefined();
});

it("a server that was removed from the settings vanishes, also when it reports later that it stopped", async () => {
  const catalogue = { tools: [], resources: [], templates: [], prompts: [], views: [] };
  let isThere = true;
  const { servers, tell, change } = stage(async () => {
    if (isThere) return catalogue;
    throw new VitrineError(-32050, 'there is no server "s"', { data: { code: "server-unknown" } });
  });
  await servers.load();
  await vi.waitFor(() => expect(servers.isSettled).toBe(true));
  isThere = false;
  change();
  await vi.waitFor(() => expect(servers.list).toEqual([]));
  tell(summary("stopped"));
  expect(servers.list).toEqual([]);
  // Added again, its catalogue is requested again.
  isThere = true;
  tell(summary("idle"));
  await vi.waitFor(() => expect(servers.get("s")?.catalogue).toBeDefined());
});

it("a changed UI is reported, even if it was unreadable in between; the first and unchanged ones are not", async () => {
  let hash: string | undefined = "one";
  const view = { tool: "t", uri: "ui://s/t" };
  const catalogue = { tools: [], resources: [], templates: [], prompts: [] };
  const { servers, tell, change } = stage(async () => ({ ...catalogue, views: [{ ...view, hash }] }));
  const told: string[][] = [];
  servers.onchangedviews = async (server, tools) => void told.push([server, ...tools]);
  const read = async (next: string | undefined): Promise<void> => {
    hash = next;
    change();
    await vi.waitFor(() => expect(servers.get("s")?.catalogue?.views[0]?.hash).toBe(next));
  };
  tell(summary("ready"));
  await vi.waitFor(() => expect(servers.get("s")?.catalogue).toBeDefined());
  await read(undefined);
  await read("one");
  expect(told).toEqual([]);
  await read(undefined);
  await read("two");
  expect(told).toEqual([["s", "t"]]);
});

it("attack E01: another server of the name shows nothing of the first one's tools, also if it does not start", async () => {
  const tool = { name: "send", title: "Send a mail", inputSchema: { type: "object" } };
  const catalogue = { tools: [tool], resources: [], templates: [], prompts: [], views: [] };
  let answer = async (): Promise<unknown> => catalogue;
  const { servers, asked, tell, change } = stage(() => answer());
  tell(summary("ready", { identity: "a" }));
  await vi.waitFor(() => expect(servers.tool("s", "send")).toBeDefined());
  answer = hopeless;
  tell(summary("idle", { identity: "b" }));
  expect(servers.tool("s", "send")).toBeUndefined();
  change();
  await vi.waitFor(() => expect(servers.get("s")?.problem).toBe("no"));
  expect(servers.get("s")?.catalogue).toBeUndefined();
  // The first server has ended, later; that says nothing about this one.
  tell(summary("stopped", { identity: "a" }));
  expect(servers.get("s")?.summary).toMatchObject({ state: "idle", identity: "b" });
  // Its own catalogue is requested.
  expect(asked.length).toBeGreaterThan(1);
});
