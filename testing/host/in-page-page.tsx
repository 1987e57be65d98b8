/** A host page that has the HTML of its apps, and runs its MCP client. Runs in the browser. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { standardGuard } from "@vitrine/guard";
import "@vitrine/host/define";
import { AppFrame, type AppFrameOptions, type FrameFailure, type FrameState, warm } from "@vitrine/host";
import { type InPageDocument, type InPageOptions, pageView, prepare } from "@vitrine/host/in-page";
import { McpApp } from "@vitrine/host/react";
import { uiExtension } from "@vitrine/protocol";
import { createRoot } from "react-dom/client";

/** How an app ended: its last state, and why it failed. */
export interface Ended {
  state: FrameState;
  failure?: FrameFailure | undefined;
}

const info = { name: "in page", version: "1" };
type Surface = "element" | "AppFrame" | "React";

/** Shows an app on one of the surfaces, and waits until it is ready or has failed. */
const showOn = (surface: Surface, options: Omit<AppFrameOptions, "info" | "title">): Promise<Ended> =>
  new Promise((resolve) => {
    const onstate: AppFrameOptions["onstate"] = (state, failure) => {
      if (state === "ready" || state === "failed") resolve({ state, failure });
    };
    const place = document.createElement("div");
    const whole = { ...options, info, title: "Test", onstate };
    document.body.append(place);
    if (surface === "React") createRoot(place).render(<McpApp {...whole} input={{ city: "Rome" }} />);
    else if (surface === "AppFrame") {
      const frame = new AppFrame(place.attachShadow({ mode: "open" }), whole);
      void frame.mount();
      frame.bridge.sendToolInput({ city: "Rome" });
    } else {
      const app = document.createElement("mcp-app");
      app.app = whole;
      place.append(app);
      app.bridge?.sendToolInput({ city: "Rome" });
    }
  });

const page = {
  show: (surface: Surface, document: InPageDocument, options: InPageOptions) =>
    showOn(surface, { view: pageView(document, options) }),
  /** Shows the view of an address that the page made itself. */
  showAddress: (src: string, html: string) =>
    showOn("element", { view: { src, origin: new URL(src).origin, html } }),
  addressOf: async (document: InPageDocument, options: InPageOptions) =>
    (await pageView(document, options)).src,
  warmAddress: (src: string, html: string) => void warm({ src, origin: new URL(src).origin, html }),
  warm: async (documents: InPageDocument[], options: InPageOptions) => {
    for (const document of documents) warm(await pageView(document, options));
  },
  /** Shows the first app of a server, from an official client in this page. */
  async showServer(version: 1 | 2, url: string, sandbox: string): Promise<Ended> {
    const capabilities = { capabilities: { extensions: uiExtension() } };
    let client: Parameters<typeof prepare>[0];
    if (version === 2) {
      const made = new Client(info, capabilities);
      await made.connect(new StreamableHTTPClientTransport(new URL(url)));
      client = made;
    } else {
      const made = new Client1(info, capabilities);
      await made.connect(new Transport1(new URL(url)));
      client = made;
    }
    const { upstream, apps } = prepare(client, { server: url, sandbox });
    const [app] = await apps();
    if (!app) throw new Error("no app");
    return showOn("element", {
      view: app.view,
      upstream,
      guard: standardGuard(upstream, { policy: () => "allow" }),
    });
  },
};
export type InPageApi = typeof page;
Object.assign(globalThis, { page });
