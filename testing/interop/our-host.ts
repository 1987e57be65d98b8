/** A host page on our bridge, with an answer to every request and any number of views. */

import type { Upstream } from "@vitrine/guard";
import { Bridge } from "@vitrine/host";
import { type LifecycleLimits, recordOf, VitrineError, WindowTransport } from "@vitrine/protocol";
import { EventLog } from "../event-log.ts";
import { CONTEXT, HOST_INFO, RESULT } from "./scene.ts";

/** A bridge that lets tests send any message of a host. */
class OpenBridge extends Bridge {
  override tell: Bridge["tell"] = (method, params) => super.tell(method, params);
  override ask: Bridge["ask"] = (method, params, options) => super.ask(method, params, options);
}

/** A view and its host's end. */
export interface Mounted {
  hosted: OpenBridge;
  iframe: HTMLIFrameElement;
  log: EventLog;
}

/** Mount options of a view. */
export interface MountOptions {
  url: string;
  /** The tool call is over before the view starts. */
  early?: boolean;
  limits?: Partial<LifecycleLimits>;
}

function server(log: EventLog): Upstream {
  return {
    server: "test-server",
    capabilities: { tools: {} },
    listen: () => () => {},
    async request(_method, params, { signal, onprogress } = {}) {
      const { name, arguments: args } = params as { name: string; arguments?: Record<string, unknown> };
      log.add("call", { name, arguments: args });
      switch (name) {
        case "fail":
          return { isError: true, content: [{ type: "text", text: "it failed" }] };
        case "throw":
          throw new VitrineError(-32603, "boom");
        case "slow":
          await new Promise((resolve) => signal?.addEventListener("abort", resolve));
          log.add("aborted");
          break;
        case "progress":
          onprogress?.({ progress: 1, total: 2, message: "step 1" });
          onprogress?.({ progress: 2, total: 2, message: "step 2" });
      }
      return { content: [{ type: "text", text: "done" }], structuredContent: { echo: args } };
    },
  } as Upstream;
}

export function mount({ url, early, limits }: MountOptions): Mounted {
  const log = new EventLog();
  const iframe = document.body.appendChild(document.createElement("iframe"));
  const { contentWindow: target } = iframe;
  if (!target) throw new Error("no frame");
  const hosted = new OpenBridge({
    info: HOST_INFO,
    upstream: server(log),
    guard: "behind-upstream",
    context: CONTEXT,
    limits: { initialize: 20_000, initialized: 20_000, teardown: 20_000, ...limits },
  });
  hosted.on("traffic", ({ direction, message }) => {
    const { method, params } = recordOf(message);
    if (direction === "in" && typeof method === "string") log.add(method, params);
  });
  hosted.on("failed", (cause) => {
    log.add("failed", cause);
    iframe.remove();
  });
  hosted.on("closed", () => iframe.remove());
  hosted.on("report", ({ code, message }) =>
    log.add(code === "out-of-order" ? "refused" : "report", message),
  );
  hosted.open(new WindowTransport({ target, origin: new URL(url).origin }));
  if (early) {
    hosted.sendToolInput({ city: "Rome" });
    hosted.sendToolResult(RESULT);
  }
  iframe.src = url;
  return { hosted, iframe, log };
}

Object.assign(globalThis, { mount });
