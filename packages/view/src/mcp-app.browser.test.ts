/** `McpApp`: the dashboard of the class's original documentation, under a third-party host. */

import { viewScript } from "@vitrine/view/script";
import type { Browser, Frame } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Site, serveSite, sharedChromium } from "../../../testing/browser.js";
import { HOST_PAGE, type MountOptions, RawHost, shows } from "../../../testing/raw-host.js";
import type { McpApp as McpAppClass } from "./mcp-app.js";

declare const McpApp: typeof McpAppClass;
declare const app: McpAppClass;

const script = `<script>${viewScript({ name: "dashboard", version: "1.0.0" })}</script>`;
const DASHBOARD = `<!DOCTYPE html>
<html>
<head>
  <meta charset="utf-8">
  <title>Data Dashboard</title>
  ${script}
</head>
<body>
  <div id="status">Connecting...</div>
  <div id="preview" hidden></div>
  <div id="result" hidden></div>
  <button id="refresh" hidden>Refresh Data</button>

  <script>
    const app = new McpApp();

    // Handle streaming preview
    app.ontoolinputpartial = (args) => {
      document.getElementById("preview").hidden = false;
      document.getElementById("preview").textContent =
        "Preparing: " + JSON.stringify(args);
    };

    // Handle complete input
    app.ontoolinput = (args) => {
      document.getElementById("preview").textContent =
        "Analyzing: " + args.dataset;
    };

    // Handle tool result
    app.ontoolresult = (result) => {
      document.getElementById("result").hidden = false;
      if (result.structuredContent) {
        renderChart(result.structuredContent);
      } else {
        document.getElementById("result").textContent =
          result.content.map(c => c.text).join("\\n");
      }
      document.getElementById("refresh").hidden = false;
    };

    // Handle cancellation
    app.ontoolcancelled = (reason) => {
      document.getElementById("status").textContent =
        "Cancelled: " + reason;
    };

    // Handle host context changes (e.g., theme switch)
    app.onhostcontextchanged = (ctx) => {
      if (ctx.theme) {
        document.body.className = ctx.theme;
      }
    };

    // Handle teardown
    app.onteardown = async (reason) => {
      // Clean up resources before iframe is destroyed
      cleanup(reason);
    };

    // Connect and update status
    app.connect().then(({ hostContext }) => {
      document.getElementById("status").textContent = "Connected";
      document.body.className = hostContext.theme || "light";
    });

    // Interactive: refresh data by calling a server tool
    document.getElementById("refresh").addEventListener("click", async () => {
      const result = await app.callServerTool("analyze_data", {
        dataset: "latest"
      });
      renderChart(result.structuredContent || result);
    });

    function renderChart(data) {
      document.getElementById("result").textContent =
        JSON.stringify(data, null, 2);
    }

    function cleanup(reason) {
      document.getElementById("status").textContent = "Cleaned up: " + reason;
    }
  </script>
</body>
</html>`;

let browser: Browser;
let site: Site;
let host: RawHost;
beforeAll(async () => {
  const blank = `<!doctype html><meta charset="utf-8">${script}<p>blank</p>`;
  [browser, site] = await Promise.all([
    sharedChromium(),
    serveSite({ "/": HOST_PAGE, "/dashboard": DASHBOARD, "/blank": blank }),
  ]);
  host = await RawHost.launch(browser);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => expect(host.console).toEqual([]));

const mount = async (path: string, options: Partial<MountOptions> = {}): Promise<Frame> => {
  await host.open(site.origin());
  return host.mount({ url: site.origin("view") + path, context: { theme: "dark" }, ...options });
};
const hidden = (view: Frame, id: string): Promise<unknown> =>
  view.evaluate((name) => document.getElementById(name)?.hidden, id);
const text = (said: string) => ({ content: [{ type: "text", text: said }] });

describe("the dashboard", () => {
  const connected = async (options?: Partial<MountOptions>): Promise<Frame> => {
    const view = await mount("/dashboard", options);
    await shows(view, "status", "Connected");
    return view;
  };

  it("connects, and shows the host's theme", async () => {
    const view = await connected();
    expect(await view.evaluate(() => document.body.className)).toBe("dark");
    expect(await host.received("ui/initialize")).toMatchObject([
      { params: { appInfo: { name: "dashboard", version: "1.0.0" } } },
    ]);
  });

  it("shows a preview, then the input, then the result", async () => {
    const view = await connected();
    expect(await hidden(view, "preview")).toBe(true);
    await host.notify("ui/notifications/tool-input-partial", { arguments: { dataset: "sa" } });
    await shows(view, "preview", 'Preparing: {"dataset":"sa"}');
    expect(await hidden(view, "preview")).toBe(false);
    await host.notify("ui/notifications/tool-input", { arguments: { dataset: "sales" } });
    await shows(view, "preview", "Analyzing: sales");
    await host.notify("ui/notifications/tool-result", text("one\ntwo"));
    await shows(view, "result", "one\ntwo");
    expect(await hidden(view, "refresh")).toBe(false);
  });

  it("refreshes with a click that calls the tool", async () => {
    const fresh = { ...text("fresh"), structuredContent: { rows: 3 } };
    const view = await connected({ answers: { "tools/call": { result: fresh } } });
    await host.notify("ui/notifications/tool-result", { ...text(""), structuredContent: { rows: 1 } });
    await shows(view, "result", JSON.stringify({ rows: 1 }, null, 2));
    await view.click("#refresh");
    await shows(view, "result", JSON.stringify({ rows: 3 }, null, 2));
    expect(await host.received("tools/call")).toMatchObject([
      { params: { name: "analyze_data", arguments: { dataset: "latest" } } },
    ]);
  });

  it("shows that the call was cancelled, and why", async () => {
    const view = await connected();
    await host.notify("ui/notifications/tool-cancelled", { reason: "the user stopped it" });
    await shows(view, "status", "Cancelled: the user stopped it");
  });

  it("follows a change of theme", async () => {
    const view = await connected();
    await host.notify("ui/notifications/host-context-changed", { theme: "light" });
    await host.request("ping");
    expect(await view.evaluate(() => document.body.className)).toBe("light");
  });

  it("cleans up before it is removed", async () => {
    const view = await connected();
    expect(await host.request("ui/resource-teardown", { reason: "closed" })).toMatchObject({ result: {} });
    await shows(view, "status", "Cleaned up: closed");
  });
});

describe("McpApp", () => {
  it("resolves connect with the host's capabilities and context", async () => {
    const view = await mount("/blank");
    const known = await view.evaluate(() => new McpApp().connect({ availableDisplayModes: ["inline"] }));
    expect(known).toEqual({
      hostCapabilities: { openLinks: {}, serverTools: {} },
      hostContext: { theme: "dark" },
    });
    expect(await host.received("ui/initialize")).toMatchObject([
      { params: { appCapabilities: { availableDisplayModes: ["inline"] } } },
    ]);
  });

  it("rejects a second connect", async () => {
    const view = await mount("/blank");
    const second = await view.evaluate(async () => {
      const own = new McpApp();
      await own.connect();
      return own.connect().catch((error) => error.code);
    });
    expect(second).toBe("out-of-order");
  });

  it("rejects pending requests on disconnect", async () => {
    const view = await mount("/blank", { answers: { "tools/call": "hold" } });
    const code = await view.evaluate(async () => {
      const own = new McpApp();
      await own.connect();
      const waiting = own.callServerTool("slow").catch((error) => error.code);
      await own.disconnect();
      return waiting;
    });
    expect(code).toBe("closed");
  });

  it("sends positional arguments in the protocol's form", async () => {
    const done = { result: {} };
    const view = await mount("/blank", {
      answers: {
        "tools/call": { result: text("") },
        "resources/read": { result: { contents: [] } },
        "ui/message": done,
        "ui/update-model-context": done,
        "ui/open-link": done,
        "ui/request-display-mode": { result: { mode: "pip" } },
      },
    });
    const mode = await view.evaluate(async () => {
      Object.assign(globalThis, { app: new McpApp() });
      await app.connect();
      await app.callServerTool("get_forecast", { days: 5 });
      await app.readServerResource("weather://rome");
      await app.sendMessage("assistant", { type: "text", text: "Updated" });
      await app.updateModelContext([{ type: "text", text: "72°F" }], { temperature: 72 });
      await app.openLink("https://a.example");
      await app.reportSizeChanged(3, 4);
      return app.requestDisplayMode("pip");
    });
    expect(mode).toEqual({ mode: "pip" });
    await host.waitFor("ui/notifications/size-changed", 2);
    const sent = await host.received();
    expect(sent.filter(({ params }) => params?.width !== 3 && params?.width)).not.toEqual([]);
    expect(sent.slice(2).filter(({ params }) => !params?.width || params.width === 3)).toMatchObject([
      { method: "tools/call", params: { name: "get_forecast", arguments: { days: 5 } } },
      { method: "resources/read", params: { uri: "weather://rome" } },
      { method: "ui/message", params: { role: "user", content: [{ type: "text", text: "Updated" }] } },
      {
        method: "ui/update-model-context",
        params: { content: [{ type: "text", text: "72°F" }], structuredContent: { temperature: 72 } },
      },
      { method: "ui/open-link", params: { url: "https://a.example" } },
      { method: "ui/notifications/size-changed", params: { width: 3, height: 4 } },
      { method: "ui/request-display-mode", params: { mode: "pip" } },
    ]);
  });

  it("logs with debug the methods that pass, and never their contents (D22)", async () => {
    const secret = { ...text("hush"), _meta: { token: "hush" } };
    const view = await mount("/blank", { answers: { "tools/call": { result: secret } } });
    await view.evaluate(async () => {
      const own = new McpApp({ debug: true });
      await own.connect();
      await own.callServerTool("hush", { hush: "hush" });
    });
    await host.notify("ui/notifications/tool-result", secret);
    await host.request("ui/resource-teardown", { reason: "hush" });
    const said = host.console.splice(0).join("\n");
    for (const method of [
      "ui/initialize",
      "tools/call",
      "ui/notifications/tool-result",
      "ui/resource-teardown",
    ]) {
      expect(said).toContain(method);
    }
    expect(said).not.toContain("hush");
  });
});
