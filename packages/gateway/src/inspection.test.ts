/** A user inspects real servers of both protocol generations through a whole gateway. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { serveProgram } from "../../../testing/gateway/served-program.js";

const WHOLE = fileURLToPath(new URL("../../../testing/gateway/whole-server.mjs", import.meta.url));
const EXTRAS = fileURLToPath(new URL("../../../testing/gateway/extras-server.mjs", import.meta.url));
const SDK = fileURLToPath(new URL("../../../testing/gateway/sdk-server.mjs", import.meta.url));
const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };
const program = (...args: string[]) => ({ command: process.execPath, args: [WHOLE, ...args] });

let folder: string;
let gateway: RunningGateway;
const ends: (() => Promise<void>)[] = [];
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-inspection-"));
  const remote = await serveProgram(WHOLE, ["modern", "http"]);
  ends.push(remote.close);
  ({ gateway } = await startTestGateway(
    {
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      mcpServers: {
        legacy: program("legacy"),
        modern: program("modern"),
        remote: { url: remote.url, oauth: false },
        rooted: { ...program("legacy"), roots: ["file:///home/ann/project"] },
        shared: { ...program("legacy"), stateless: true },
        extras: { command: process.execPath, args: [EXTRAS, "legacy"] },
        "extras-modern": { command: process.execPath, args: [EXTRAS, "modern"] },
        bare: { command: process.execPath, args: [SDK, "legacy"] },
      },
    },
    join(folder, "data"),
  ));
}, 60_000);
afterAll(async () => {
  for (const page of pages) page.close();
  await gateway.close(0);
  for (const end of ends) await end();
  await rm(folder, { recursive: true, force: true });
});

async function open(user: keyof typeof TOKENS = "ann"): Promise<RawPage> {
  const page = new RawPage({ origin: gateway.origin, token: TOKENS[user], over: "websocket" });
  pages.push(page);
  await page.request("gateway/servers", {});
  return page;
}

const rows = async (method: string) =>
  (await gateway.api.audit.query({ user: "ann" }, { limit: 1000 })).filter((row) => row.method === method);

describe.each(["legacy", "modern", "remote"])("a user inspects the server %s", (server) => {
  let page: RawPage;
  beforeAll(async () => {
    page = await open();
    await page.request("gateway/start", { server });
  }, 30_000);

  it("reads a resource, one of a template, and one that is not there", async () => {
    const read = (uri: string) => page.request("gateway/read", { server, uri });
    expect((await read("note://today")).contents).toMatchObject([
      { mimeType: "text/markdown", text: expect.stringContaining("# Today") },
    ]);
    expect((await read("pixel://one")).contents).toMatchObject(
      [{ mimeType: "image/png", blob: /^iVBOR/ }].map((each) => ({
        ...each,
        blob: expect.stringMatching(each.blob),
      })),
    );
    expect((await read("weather://Norway/Oslo")).contents).toMatchObject([
      { text: JSON.stringify({ country: "Norway", city: "Oslo" }) },
    ]);
    await expect(read("note://never")).rejects.toMatchObject({ code: expect.any(Number) });
  });

  it("gets a prompt with its arguments, and the server's error for wrong ones", async () => {
    const prompt = await page.request("gateway/prompt", {
      server,
      name: "compare",
      arguments: { first: "Oslo", second: "Rome" },
    });
    expect(prompt.messages[0]?.content).toMatchObject({ text: "Compare Oslo with Rome." });
    await expect(page.request("gateway/prompt", { server, name: "compare" })).rejects.toThrow();
  });

  it("completes arguments of prompts, and variables of templates with the others as context", async () => {
    const ofPrompt = await page.request("gateway/complete", {
      server,
      ref: { type: "ref/prompt", name: "compare" },
      argument: { name: "first", value: "Ber" },
    });
    expect(ofPrompt.values).toEqual(["Bergen", "Berlin", "Bern"]);
    const ofTemplate = await page.request("gateway/complete", {
      server,
      ref: { type: "ref/resource", uri: "weather://{country}/{city}" },
      argument: { name: "city", value: "" },
      context: { arguments: { country: "Norway" } },
    });
    expect(ofTemplate.values).toEqual(["Bergen", "Oslo"]);
  });

  it("measures the time of a ping", async () => {
    const { milliseconds } = await page.request("gateway/ping", { server });
    expect(milliseconds).toBeGreaterThan(0);
    expect(milliseconds).toBeLessThan(10_000);
  });
});

describe("subscriptions of a page", () => {
  it.each(["legacy", "modern"])("report changes until they end (%s)", async (server) => {
    const page = await open();
    const uri = "note://today";
    const change = () => page.request("gateway/call", { server, name: "change_note" });
    await page.request("gateway/subscribe", { server, uri });
    await change();
    await expect.poll(() => page.notices("gateway/updated")).toEqual([{ server, uri }]);
    await page.request("gateway/unsubscribe", { server, uri });
    await change();
    await page.request("gateway/ping", { server });
    expect(page.notices("gateway/updated")).toHaveLength(1);
  });

  it("belong to one page", async () => {
    const [page, other] = [await open(), await open("bea")];
    await page.request("gateway/subscribe", { server: "legacy", uri: "note://today" });
    await page.request("gateway/call", { server: "legacy", name: "change_note" });
    await expect.poll(() => page.notices("gateway/updated")).toHaveLength(1);
    expect(other.notices("gateway/updated")).toEqual([]);
  });
});

describe("the gateway's refusals", () => {
  it("name the capability that the server does not declare", async () => {
    const page = await open();
    const refused = { data: { code: "capability-missing", capability: "completions" } };
    const ref = { type: "ref/prompt" as const, name: "x" };
    const argument = { name: "a", value: "" };
    await expect(page.request("gateway/complete", { server: "bare", ref, argument })).rejects.toMatchObject(
      refused,
    );
    await expect(
      page.request("gateway/set-log-level", { server: "bare", level: "debug" }),
    ).rejects.toMatchObject({ data: { code: "capability-missing", capability: "logging" } });
  });

  it.each([
    ["gateway/read", { uri: "note://today" }],
    ["gateway/prompt", { name: "compare" }],
    ["gateway/subscribe", { uri: "note://today" }],
    ["gateway/set-log-level", { level: "info" }],
    ["gateway/roots", { roots: [{ uri: "file:///a" }] }],
    ["gateway/ping", {}],
    ["gateway/capabilities", { hidden: ["ui"] }],
    ["gateway/request", { method: "tools/list" }],
    [
      "gateway/complete",
      { ref: { type: "ref/prompt", name: "compare" }, argument: { name: "first", value: "" } },
    ],
  ] as const)("%s reaches only the server that is meant", async (method, params) => {
    const page = await open();
    const asked = (more: object) => page.ask(".", method, { ...params, ...more });
    await expect(asked({ server: "legacy", identity: "another" })).rejects.toMatchObject({
      data: { code: "server-replaced" },
    });
    await expect(asked({ server: "none" })).rejects.toMatchObject({ data: { code: "server-unknown" } });
  });

  it("keep what belongs to all users of a shared server", async () => {
    const page = await open();
    const refused = { data: { code: "server-shared" } };
    const level = page.request("gateway/set-log-level", { server: "shared", level: "debug" });
    await expect(level).rejects.toMatchObject(refused);
    const roots = page.request("gateway/roots", { server: "shared", roots: [{ uri: "file:///a" }] });
    await expect(roots).rejects.toMatchObject(refused);
  });

  it("let no view send what only a user may send", async () => {
    const page = await open();
    const { view } = await page.request("gateway/open", { server: "legacy", tool: "add" });
    for (const method of ["completion/complete", "logging/setLevel", "tasks/list", "gateway/read"]) {
      const params = {
        ref: { type: "ref/prompt", name: "x" },
        argument: { name: "a", value: "" },
        level: "info",
      };
      await expect(page.ask(view, method, params)).rejects.toMatchObject({
        data: { code: "method-unknown" },
      });
    }
  });
});

describe("roots", () => {
  const told = async (page: RawPage, server: string) => {
    const params = { method: "roots/list", params: {} };
    const result = await page.request("gateway/call", { server, name: "ask", arguments: params });
    return JSON.stringify(result.content);
  };

  it("of the settings are offered to their server only", async () => {
    const page = await open();
    expect(await page.request("gateway/roots", { server: "rooted" })).toMatchObject({
      roots: [{ uri: "file:///home/ann/project" }],
      from: "settings",
    });
    expect(await told(page, "rooted")).toContain("file:///home/ann/project");
    expect(await page.request("gateway/roots", { server: "modern" })).toEqual({
      roots: [],
      needsRestart: false,
    });
  });

  it("of the page are offered at once to a server of the second generation", async () => {
    const page = await open();
    const roots = [{ uri: "file:///srv/data", name: "Data" }];
    const set = await page.request("gateway/roots", { server: "modern", roots });
    expect(set).toEqual({ roots, from: "page", needsRestart: false });
    expect(await told(page, "modern")).toContain("file:///srv/data");
    expect((await page.request("gateway/roots", { server: "modern", roots: [] })).roots).toEqual([]);
  });

  it("of the page need a restart of a server that was told that there are none", async () => {
    const page = await open();
    const server = "legacy";
    await page.request("gateway/start", { server });
    const roots = [{ uri: "file:///srv/data" }];
    expect(await page.request("gateway/roots", { server, roots })).toMatchObject({ needsRestart: true });
    await page.request("gateway/restart", { server });
    expect(await told(page, server)).toContain("file:///srv/data");
    expect(await (await open("bea")).request("gateway/roots", { server })).toMatchObject({ roots: [] });
    await page.request("gateway/roots", { server, roots: [] });
  });

  it("must be addresses", async () => {
    const page = await open();
    const wrong = page.request("gateway/roots", { server: "modern", roots: [{ uri: "not an address" }] });
    await expect(wrong).rejects.toMatchObject({ code: -32602 });
  });
});

describe("capabilities of the client", () => {
  const declared = async (page: RawPage, server: string) => {
    const { capabilities } = await page.request("gateway/request", { server, method: "demo/capabilities" });
    return capabilities;
  };
  const UI = "io.modelcontextprotocol/ui";

  it("that the user leaves out are not declared to a server of the second generation from now on", async () => {
    const [page, other] = [await open(), await open("bea")];
    const server = "extras-modern";
    expect(await declared(page, server)).toMatchObject({ elicitation: {}, extensions: { [UI]: {} } });
    const set = await page.request("gateway/capabilities", { server, hidden: ["elicitation.url", "ui"] });
    expect(set).toEqual({
      available: ["elicitation.form", "elicitation.url", "ui"],
      hidden: ["elicitation.url", "ui"],
      needsRestart: false,
    });
    const now = await declared(page, server);
    expect(now).toMatchObject({ elicitation: { form: {} } });
    expect(now).not.toHaveProperty(["elicitation", "url"]);
    expect(now).not.toHaveProperty(["extensions", UI]);
    expect(await declared(other, server)).toMatchObject({
      elicitation: { url: {} },
      extensions: { [UI]: {} },
    });
    await page.request("gateway/capabilities", { server, hidden: [] });
    expect(await declared(page, server)).toMatchObject({
      elicitation: { url: {} },
      extensions: { [UI]: {} },
    });
  });

  it("need a restart of a server of the first generation", async () => {
    const page = await open();
    const server = "extras";
    expect(await declared(page, server)).toMatchObject({ elicitation: {} });
    const hidden = ["elicitation.form", "elicitation.url"] as const;
    const set = await page.request("gateway/capabilities", { server, hidden: [...hidden] });
    expect(set).toMatchObject({ hidden, needsRestart: true });
    await page.request("gateway/restart", { server });
    expect(await declared(page, server)).not.toHaveProperty("elicitation");
    expect(await page.request("gateway/capabilities", { server })).toMatchObject({ needsRestart: false });
    await page.request("gateway/capabilities", { server, hidden: [] });
  });

  it("stay as they are at a shared server, and have known names", async () => {
    const page = await open();
    const hide = (server: string, hidden: string[]) =>
      page.ask(".", "gateway/capabilities", { server, hidden });
    await expect(hide("shared", ["ui"])).rejects.toMatchObject({ data: { code: "server-shared" } });
    await expect(hide("extras", ["everything"])).rejects.toMatchObject({ code: -32602 });
  });
});

describe("the audit log", () => {
  it("has a row of the user for each read", async () => {
    const page = await open();
    const before = (await rows("resources/read")).length;
    await page.request("gateway/read", { server: "legacy", uri: "note://today" });
    const after = await rows("resources/read");
    expect(after.length).toBeGreaterThan(before);
    expect(after.at(-1) ?? after[0]).toMatchObject({ actor: "host", server: "legacy" });
  });
});
