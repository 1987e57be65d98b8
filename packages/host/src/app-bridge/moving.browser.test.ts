/** The code of `docs/hosts/moving.md`, as it stands there, with the real packages on our sandbox. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CallToolResult } from "@vitrine/protocol";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle, inlineModule } from "../../../../testing/browser.ts";
import type { EventLog } from "../../../../testing/event-log.ts";
import { RESULT } from "../../../../testing/interop/scene.ts";
import { pageOf } from "../../../../testing/interop/stage.ts";
import { SandboxStage, Shown, until } from "../../../../testing/sandbox-stage.ts";

// In the pages. `log` is the host's or the view's, depending on where it is read.
declare const log: EventLog;
declare const heard: string[];
declare const showDocument: (address: string) => Promise<void>;
declare const greet: () => void;
declare const sendInput: (input: object) => unknown;
declare const sendResult: (result: CallToolResult) => unknown;
declare const callTool: (name: string, args: object) => Promise<unknown>;

const BRIDGE = (example: string, wrap: string): string => `
  import { showApp } from "./examples/moving/${example}";
  import { serveBridge } from "./testing/interop/moving-host.tsx";
  await serveBridge(showApp, (input) => (${wrap}));`;
const COMPONENT = (example: string): string => `
  import { Forecast } from "./examples/moving/${example}";
  import { serveComponent } from "./testing/interop/moving-host.tsx";
  serveComponent(Forecast as never);`;

/** The examples, and whether the page has the document, and our guard. */
const EXAMPLES = [
  ["official.ts", BRIDGE("official.ts", "{ arguments: input }"), { html: true, guarded: false }],
  ["import.ts", BRIDGE("import.ts", "{ arguments: input }"), { html: true, guarded: true }],
  ["transport.ts", BRIDGE("transport.ts", "{ arguments: input }"), { html: false, guarded: true }],
  ["frame.ts", BRIDGE("frame.ts", "input"), { html: false, guarded: true }],
  ["renderer.tsx", COMPONENT("renderer.tsx"), { html: true, guarded: false }],
  ["mcp-app.tsx", COMPONENT("mcp-app.tsx"), { html: false, guarded: true }],
] as const;
const OFFICIAL = "@modelcontextprotocol/ext-apps/app-bridge";
const VIEWS = { "/app-1": "ext-apps-1", "/app-2": "@modelcontextprotocol/ext-apps" };

/** A document in the view's frame that is not the view. */
const STRANGER = `<!doctype html><script>
  const params = { name: "forecast", arguments: { city: "nowhere" } };
  parent.postMessage({ jsonrpc: "2.0", id: "stranger", method: "tools/call", params }, "*");
  setTimeout(() => document.title = "posted", 300);
</script>`;

/** A document that says hello to the host, and collects what it receives in its title. */
const GREETER = `<!doctype html><script>
  addEventListener("message", ({ data }) => document.title += " " + data.method);
  parent.postMessage({ jsonrpc: "2.0", method: "hello from " + location.hash }, "*");
</script>`;
/** A host without a bridge: its transport, and a frame. */
const TRANSPORT_PAGE = `
  import { PostMessageTransport } from "@vitrine/host/app-bridge";
  const iframe = document.createElement("iframe");
  iframe.setAttribute("sandbox", decodeURIComponent(location.hash.slice(1)));
  document.body.append(iframe);
  const target = iframe.contentWindow;
  const transport = new PostMessageTransport(target, target);
  globalThis.heard = [];
  transport.onmessage = ({ method }) => heard.push(method);
  await transport.start();
  globalThis.showDocument = (address) => new Promise((resolve) => {
    iframe.onload = resolve;
    iframe.src = address;
  });
  globalThis.greet = () => {
    void transport.send({ jsonrpc: "2.0", method: "greeting" });
    target.postMessage({ method: "end" }, "*");
  };`;

let stage: SandboxStage;
beforeAll(async () => {
  const pages: Record<string, string> = { "/stranger": STRANGER, "/greeter": GREETER };
  for (const [name, code] of [...EXAMPLES, ["transport-page", TRANSPORT_PAGE]] as const) {
    const script = inlineModule(await bundle(code, { format: "esm" }));
    pages[`/${name}`] = `<!doctype html><meta charset="utf-8"><title>${name}</title><body>${script}</body>`;
  }
  for (const [path, app] of Object.entries(VIEWS))
    pages[path] = await pageOf("interop/recording-view.ts", { "@vitrine/view": app });
  stage = await SandboxStage.open({ pages });
});
afterAll(() => stage?.close());

async function open(
  name: string,
  app: string,
  { html }: { html: boolean },
): Promise<{ host: Page; view: Frame }> {
  const text = await (await fetch(stage.site.origin() + app)).text();
  const registered = await stage.served.sandbox.register({ server: "weather", ...(!html && { html: text }) });
  const { src, origin } = registered;
  const sdk1 = name === "renderer.tsx" && { sdk1: "" };
  const query = new URLSearchParams({ src, origin, ...(html && { html: app }), ...sdk1 });
  const host = await stage.openPage(`${stage.site.origin()}/${name}?${query}`);
  const view = await new Shown(host, registered).view();
  await until(async () =>
    expect(await view.evaluate(() => "log" in globalThis && log.names())).toContain("connected"),
  );
  await until(async () => expect(await host.evaluate(() => "sendInput" in globalThis)).toBe(true));
  return { host, view };
}

describe.each(EXAMPLES)("%s", (name, _code, options) => {
  it.each(Object.keys(VIEWS))(
    "shows the app %s, which gets its input and result, and calls tools",
    async (app) => {
      const { host, view } = await open(name, app, options);
      expect(await view.evaluate(() => log.values("connected"))).toMatchObject([{ theme: "dark" }]);
      await host.evaluate(() => sendInput({ city: "Rome" }));
      expect(await view.evaluate(() => log.until("input"))).toEqual({ arguments: { city: "Rome" } });
      await host.evaluate((result) => sendResult(result), RESULT);
      expect(await view.evaluate(() => log.until("result"))).toEqual(RESULT);
      const called = await view.evaluate(() => callTool("forecast", { city: "Rome" }));
      expect(called).toMatchObject({ content: [{ text: "forecast Rome" }] });
    },
  );

  it(
    options.guarded ? "asks before a tool has an effect" : "asks nobody: the official class has no guard",
    async () => {
      const { host, view } = await open(name, "/app-2", options);
      const outcome = view.evaluate(() =>
        callTool("erase", { city: "Rome" }).then(
          () => "ran",
          ({ message }: Error) => message,
        ),
      );
      const secret = await view.evaluate(() =>
        callTool("secret", {}).then(
          () => "ran",
          ({ message }: Error) => message,
        ),
      );
      if (options.guarded) {
        expect(secret).toContain("not for views");
        const question = host.getByRole("alertdialog");
        await question.waitFor();
        expect(await question.textContent()).toContain("erase");
        await question.getByRole("button", { name: "Deny" }).click();
        expect(await outcome).toContain("declined");
        expect(await host.evaluate(() => log.values("ran"))).toEqual([]);
      } else {
        expect([secret, await outcome]).toEqual(["ran", "ran"]);
        expect(await host.evaluate(() => log.values("ran"))).toEqual(
          expect.arrayContaining(["erase", "secret"]),
        );
      }
    },
  );
});

it("the second step changes the import alone", () => {
  const [official = "", ours] = ["official.ts", "import.ts"].map((name) =>
    readFileSync(fileURLToPath(new URL(`../../../../examples/moving/${name}`, import.meta.url)), "utf8"),
  );
  expect(official).toContain(OFFICIAL);
  expect(official.replace(OFFICIAL, "@vitrine/host/app-bridge")).toBe(ours);
});

it.each([
  ["official.ts", ["forecast"]],
  ["import.ts", []],
])("%s: another document in the frame reaches these tools: %j", async (name, ran) => {
  const { host } = await open(name, "/app-2", { html: true });
  const address = `${stage.site.origin("stranger")}/stranger`;
  await host.evaluate((src) => document.querySelector("iframe")?.setAttribute("src", src), address);
  await until(async () => expect(await host.frames()[1]?.title()).toBe("posted"));
  expect(await host.evaluate(() => log.values("ran"))).toEqual(ran);
});

it.each([
  ["an origin of its own", "allow-scripts allow-same-origin", ["hello from #1"], "end"],
  ["the origin null", "allow-scripts", ["hello from #1", "hello from #2"], "greeting end"],
])("a frame with %s: a document that it navigates to later", async (_name, flags, sent, title) => {
  const host = await stage.openPage(`${stage.site.origin()}/transport-page#${encodeURIComponent(flags)}`);
  await until(async () => expect(await host.evaluate(() => "greet" in globalThis)).toBe(true));
  const show = (number: number): Promise<void> =>
    host.evaluate(
      (address) => showDocument(address),
      `${stage.site.origin(`document-${number}`)}/greeter#${number}`,
    );
  await show(1);
  await until(async () => expect(await host.evaluate(() => heard)).toEqual(["hello from #1"]));
  await show(2);
  await host.evaluate(() => greet());
  await until(async () => expect(await host.frames()[1]?.evaluate(() => document.title)).toContain("end"));
  expect(await host.frames()[1]?.evaluate(() => document.title)).toBe(title);
  await until(async () => expect(await host.evaluate(() => heard)).toEqual(sent));
});
