/** A host page on our own wire, with an answer to everything and room for any number of views. */
import type { LifecycleLimits } from "@vitrine/protocol";
import { type HostedView, hostView } from "../../examples/minimal-host/host.ts";
import { EventLog } from "../event-log.ts";
import { CONTEXT, HOST_CAPABILITIES, HOST_INFO, RESULT } from "./scene.ts";

/** One view and its host's end. */
export interface Mounted {
  hosted: HostedView;
  iframe: HTMLIFrameElement;
  log: EventLog;
}

/** How a view is mounted. */
export interface MountOptions {
  url: string;
  /** The tool call is over before the view comes up. */
  early?: boolean;
  limits?: Partial<LifecycleLimits>;
}

export function mount({ url, early, limits }: MountOptions): Mounted {
  const log = new EventLog();
  const iframe = document.body.appendChild(document.createElement("iframe"));
  const hosted = hostView(iframe, {
    origin: new URL(url).origin,
    info: HOST_INFO,
    capabilities: HOST_CAPABILITIES,
    context: CONTEXT,
    limits: { initialize: 20_000, initialized: 20_000, teardown: 20_000, ...limits },
    handlers: {
      "tools/call": async ({ name, arguments: args }, { signal, progress }) => {
        log.add("call", { name, arguments: args });
        switch (name) {
          case "fail":
            return { isError: true, content: [{ type: "text", text: "it failed" }] };
          case "throw":
            throw new Error("boom");
          case "slow":
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            log.add("aborted");
            break;
          case "progress":
            progress?.({ progress: 1, total: 2, message: "step 1" });
            progress?.({ progress: 2, total: 2, message: "step 2" });
        }
        return { content: [{ type: "text", text: "done" }], structuredContent: { echo: args } };
      },
    },
    onmessage: (method, params) => log.add(method, params),
    onrefused: (method) => log.add("refused", method),
    onfailed: (cause) => log.add("failed", cause),
    onreport: ({ code, message }) => log.add("report", `${code}: ${message}`),
  });
  if (early) {
    hosted.tell("ui/notifications/tool-input", { arguments: { city: "Rome" } });
    hosted.tell("ui/notifications/tool-result", RESULT);
  }
  iframe.src = url;
  return { hosted, iframe, log };
}

Object.assign(globalThis, { mount });
