/** A host page that saves apps of a server, and shows them again without it. Runs in the browser. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { standardGuard } from "@vitrine/guard";
import "@vitrine/host/define";
import type { AppFrameOptions, FrameFailure, FrameState } from "@vitrine/host";
import {
  prepare,
  type SnapshotOptions,
  showSnapshot,
  snapshotApp,
  takeSnapshot,
} from "@vitrine/host/in-page";
import { McpApp } from "@vitrine/host/react";
import { uiExtension } from "@vitrine/protocol";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";

const info = { name: "chat", version: "1" };

interface Ended {
  state: FrameState;
  failure?: FrameFailure | undefined;
}

const whenShown = (): [Promise<Ended>, NonNullable<AppFrameOptions["onstate"]>] => {
  let end: (ended: Ended) => void;
  const ended = new Promise<Ended>((resolve) => (end = resolve));
  return [ended, (state, failure) => (state === "ready" || state === "failed") && end({ state, failure })];
};

const page = {
  /** Shows the first app of a server, calls its tool, and returns the snapshot. */
  async save(url: string, sandbox: string, isEnded: boolean): Promise<string> {
    const client = new Client(info, { capabilities: { extensions: uiExtension() } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { upstream, apps } = prepare(client, { server: url, sandbox });
    const [found] = await apps();
    if (!found) throw new Error("no app");
    const view = await found.view;
    const app = document.createElement("mcp-app");
    const [ended, onstate] = whenShown();
    app.app = {
      info,
      title: "Live",
      view,
      upstream,
      guard: standardGuard(upstream, { policy: () => "allow" }),
      context: { toolInfo: { tool: found.tool } },
      onstate,
    };
    document.body.append(app);
    await ended;
    const { bridge } = app;
    if (!bridge) throw new Error("no bridge");
    bridge.sendToolInput({ city: "Rome" });
    if (isEnded)
      bridge.sendToolResult(await client.callTool({ name: found.tool.name, arguments: { city: "Rome" } }));
    return JSON.stringify(takeSnapshot(bridge, view));
  },
  show(surface: "element" | "React", text: string, options: Partial<SnapshotOptions>): Promise<Ended> {
    const [ended, onstate] = whenShown();
    const whole = { info, onstate, ...options };
    if (surface === "element") {
      const app = document.createElement("mcp-app");
      showSnapshot(app, JSON.parse(text), whole);
      document.body.append(app);
    } else {
      const root = createRoot(document.body.appendChild(document.createElement("div")));
      const render = (): void => root.render(<McpApp {...snapshotApp(JSON.parse(text), whole)} />);
      flushSync(render);
      // A chat renders often.
      flushSync(render);
    }
    return ended;
  },
};
/** Functions that tests call in the page, as `page`. */
export type SnapshotApi = typeof page;
Object.assign(globalThis, { page });
