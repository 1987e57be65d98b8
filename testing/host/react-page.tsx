/** A host page on `<McpApp>`, in StrictMode: tests set its props from outside. Runs in the browser. */

import { httpUpstream } from "@vitrine/guard";
import type { AppFrameOptions, Bridge } from "@vitrine/host";
import { McpApp, type McpAppProps } from "@vitrine/host/react";
import * as React from "react";
import { createRef, Fragment, StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { EventLog } from "../event-log.ts";
import type { Served } from "./host-page.ts";

/** Everything that may change while the app is shown. */
type Changing = Omit<McpAppProps, Exclude<keyof AppFrameOptions, "context" | "dimensions"> | "onError">;
type Props = Partial<Changing> & {
  "data-turn"?: string;
  mood?: string;
  /** `onError` throws after it has recorded the error. */
  isErrorThrown?: boolean;
  isInactive?: boolean;
  /** The app comes before the other part of the chat. */
  isFirst?: boolean;
};

/** React 18 has no `Activity`. */
const { Activity = Fragment } = { ...React };

const log = new EventLog();
const root = createRoot(document.body.appendChild(document.createElement("div")));
const ref = createRef<Bridge | undefined>();
let options: AppFrameOptions;
let props: Props = {};

function Chat({ mood = "first", isInactive, isFirst, isErrorThrown, ...call }: Props) {
  return (
    <McpApp
      {...options}
      {...call}
      ref={ref}
      handlers={{
        message: ({ content: [block] }) =>
          log.add("message", `${mood}: ${block?.type === "text" && block.text}`),
      }}
      onstate={(state) => log.add(state)}
      onError={({ code, message }) => {
        log.add("error", { code, message });
        if (isErrorThrown) throw new Error("thrown by onError");
      }}
    />
  );
}

function render(): void {
  const other = (
    <p id="chat" key="chat">
      The chat
    </p>
  );
  const app = (
    <Activity
      key={`app ${options.title}`}
      {...(Activity !== Fragment && { mode: props.isInactive ? "hidden" : "visible" })}
    >
      <Chat {...props} />
    </Activity>
  );
  flushSync(() => root.render(<StrictMode>{props.isFirst ? [app, other] : [other, app]}</StrictMode>));
}

const chat = {
  version: React.version,
  log,
  async open(name: string): Promise<void> {
    const { view } = (await (await fetch(`/apps/${name}`)).json()) as Served;
    if (!("src" in view)) throw new Error(view.error.message);
    options = { info: { name: "chat", version: "1.0.0" }, title: name, view };
    render();
    const element = document.querySelector("mcp-app");
    if (element) element.id = "app";
  },
  /** Shows another app, with an upstream and no guard, which `<McpApp>` cannot do. */
  openWithoutGuard(): void {
    const upstream = httpUpstream({ url: "/rpc/none", server: "none", capabilities: {} });
    options = { ...options, title: "no guard", upstream };
    render();
  },
  set(more: Props): void {
    props = { ...props, ...more };
    render();
  },
  bridge: (): Bridge | null | undefined => ref.current,
  unmount: (): void => root.unmount(),
};
/** Functions that tests call in the page, as `chat`. */
export type ReactApi = typeof chat;
Object.assign(globalThis, { chat, host: chat });
