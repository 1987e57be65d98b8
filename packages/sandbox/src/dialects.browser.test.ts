/** The script for dialects, before documents that arrive in every way, under a handwritten host. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Sandbox, type ViewRegistration } from "@vitrine/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxStage, type Shown, until } from "../../../testing/sandbox-stage.ts";

declare const openai: Record<string, unknown>;
declare const first: { type: string; isParent: boolean; mode: string };
declare const outputs: unknown[];
declare const answers: { type: string; isParent: boolean }[];

const DOCUMENT = `<!-- before -->\n<!doctype html><html lang="en"><title>Widget</title><script>
  const first = { type: typeof window.openai, isParent: window.parent === parent, mode: document.compatMode };
  const answers = [];
  const outputs = [];
  addEventListener("message", ({ data, source }) => {
    if (data.messageId) answers.push({ type: data.type, isParent: source === window.parent });
  });
</script><p>Widget`;

let stage: SandboxStage;
beforeAll(async () => {
  stage = await SandboxStage.open();
});
afterAll(() => stage?.close());

/** Answers the handshake, and sends a result. */
async function serve(shown: Shown, result: object): Promise<void> {
  const { id, params } = await shown.untilHeard("ui/initialize");
  expect(params).toMatchObject({ appInfo: { name: "Widget" }, protocolVersion: "2026-01-26" });
  const hostContext = { theme: "dark", locale: "fr-FR", "vitrine/instance": "one" };
  const hostInfo = { name: "host", version: "1.0.0" };
  await shown.post({
    jsonrpc: "2.0",
    id,
    result: { protocolVersion: "2026-01-26", hostInfo, hostCapabilities: {}, hostContext },
  });
  await shown.untilHeard("ui/notifications/initialized");
  await shown.post({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: result });
}

const FORMS: [string, Partial<ViewRegistration>, object][] = [
  ["served", { html: DOCUMENT }, {}],
  ["served without an origin", { html: DOCUMENT, opaque: true }, {}],
  ["sent by message", {}, { resource: { html: DOCUMENT } }],
  ["sent by message, without an origin", { opaque: true }, { resource: { html: DOCUMENT } }],
];

describe.each(FORMS)("a document that is %s", (_form, view, showing) => {
  it.each([true, false])("T07: has its dialects before its first script (port: %s)", async (port) => {
    const shown = await stage.show({ ...view, dialects: ["mcp-ui", "apps-sdk"] }, { ...showing, port });
    await serve(shown, { content: [], structuredContent: { a: 1 } });
    const frame = await shown.view();
    expect(await frame.evaluate(() => first)).toEqual({ type: "object", isParent: true, mode: "CSS1Compat" });
    await expect.poll(() => frame.evaluate(() => openai["toolOutput"])).toEqual({ a: 1 });
    expect(await frame.evaluate(() => [openai["theme"], openai["locale"]])).toEqual(["dark", "fr-FR"]);
    expect(await frame.evaluate(() => document.querySelectorAll("script").length)).toBe(1);
    // Both dialects share one handshake.
    expect(await shown.count("ui/initialize")).toBe(1);
    await frame.evaluate(() => {
      window.parent.postMessage({ type: "tool", messageId: "m", payload: { toolName: "a" } }, "*");
    });
    const { id, params } = await shown.untilHeard("tools/call");
    expect(params).toEqual({ name: "a", arguments: {} });
    await shown.post({ jsonrpc: "2.0", id, result: { content: [] } });
    await expect
      .poll(() => frame.evaluate(() => answers))
      .toEqual([
        { type: "ui-message-received", isParent: true },
        { type: "ui-message-response", isParent: true },
      ]);
    expect(await shown.reports("script-error")).toEqual([]);
    expect(await shown.reports("csp-violation")).toEqual([]);
  });
});

describe("the script for dialects", () => {
  it("gets large results like any document", async () => {
    const shown = await stage.show({ html: DOCUMENT, dialects: ["apps-sdk"] }, { port: true });
    await serve(shown, { content: [], structuredContent: { a: 1 } });
    const frame = await shown.view();
    await expect.poll(() => frame.evaluate(() => openai["toolOutput"])).toEqual({ a: 1 });
    const params = { content: [], structuredContent: { text: "x".repeat(200_000) } };
    await shown.postLarge(JSON.stringify({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params }));
    await expect.poll(() => frame.evaluate(() => Object(openai["toolOutput"]).text?.length)).toBe(200_000);
  });

  it("answers ping and teardown, and nothing else", async () => {
    const shown = await stage.show({ html: DOCUMENT, dialects: ["apps-sdk"] });
    await serve(shown, { content: [] });
    for (const [id, method] of [
      ["a", "ping"],
      ["b", "ui/resource-teardown"],
      ["c", "tools/list"],
    ])
      await shown.post({ jsonrpc: "2.0", id, method, params: {} });
    await until(async () => {
      const messages = (await shown.heard()).map(({ message }) => message);
      const answerTo = (wanted: string) => messages.find(({ id, method }) => id === wanted && !method);
      expect([answerTo("a"), answerTo("b"), answerTo("c")]).toMatchObject([
        { result: {} },
        { result: {} },
        { error: { code: -32601 } },
      ]);
    });
  });

  it("believes nobody but the proxy", async () => {
    const shown = await stage.show({ html: DOCUMENT, dialects: ["apps-sdk"] });
    await serve(shown, { content: [], structuredContent: { a: 1 } });
    const frame = await shown.view();
    await expect.poll(() => frame.evaluate(() => openai["toolOutput"])).toEqual({ a: 1 });
    await frame.evaluate(() => {
      addEventListener("openai:set_globals", (event) => {
        outputs.push((event as CustomEvent).detail.globals.toolOutput);
      });
    });
    const params = { content: [], structuredContent: { forged: true } };
    const forged = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params };
    // The host page itself is not the proxy.
    await shown.page.evaluate((message) => window[0]?.[0]?.postMessage(message, "*"), forged);
    await frame.evaluate((message) => window.postMessage(message, "*"), forged);
    const real = { content: [], structuredContent: { a: 2 } };
    await shown.post({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: real });
    await expect.poll(() => frame.evaluate(() => outputs)).toEqual([{ a: 2 }]);
  });

  it("is in no other document, and nowhere where the operator switched it off", async () => {
    const options = { secret: "a secret of the tests", origin: "http://{role}.{label}.localhost:8091" };
    const hosts = ["http://localhost:8090"];
    const bodyOf = async (sandbox: Sandbox, view: Partial<ViewRegistration>): Promise<string> => {
      const { src } = await sandbox.register({ server: "s", ...view });
      const address = src.replace("//p.", "//v.");
      return (await sandbox.fetch(new Request(address))).text();
    };
    const on = new Sandbox({ ...options, hosts });
    const off = new Sandbox({ ...options, hosts, dialects: [] });
    const one = new Sandbox({ ...options, hosts, dialects: ["mcp-ui"] });
    for (const html of [DOCUMENT, undefined]) {
      const asked = { html, dialects: ["apps-sdk"] as const };
      expect(await bodyOf(on, asked)).toContain('data-dialects="apps-sdk"');
      expect(await bodyOf(on, { html })).not.toContain("data-dialects=");
      expect(await bodyOf(off, asked)).not.toContain("data-dialects=");
      expect(await bodyOf(one, asked)).not.toContain("data-dialects=");
      expect(await bodyOf(one, { html, dialects: ["apps-sdk", "mcp-ui"] })).toContain(
        'data-dialects="mcp-ui"',
      );
    }
    // A document without scripts speaks no dialect, but the script speaks for it.
    expect(await on.register({ server: "s", html: "<p>hi" })).toMatchObject({ static: true });
    const spoken = await on.register({ server: "s", html: "<p>hi", dialects: ["mcp-ui"] });
    expect([spoken.static, spoken.dialects]).toEqual([undefined, ["mcp-ui"]]);
  });

  it("fits into 5 KB", () => {
    const text = readFileSync(new URL("../dist/page-text.js", import.meta.url), "utf8");
    const script = JSON.parse(/^export const SHIM = (.*);$/m.exec(text)?.[1] ?? '""');
    expect(script).toContain("openai:set_globals");
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(5 * 1024);
  });
});
