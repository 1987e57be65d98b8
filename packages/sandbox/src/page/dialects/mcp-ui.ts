/**
 * The messages of mcp-ui: actions of the document, their answers by `messageId`, and render data. docs/views/dialects.md
 * has a row for each.
 */
import { recordOf } from "@vitrine/protocol";
import { PARENT } from "../parent.js";
import type { Members, Wire } from "./wire.js";

/** Sends a message to the document. */
type Post = (message: object) => void;

const text = (value: unknown): object => ({ role: "user", content: [{ type: "text", text: value }] });

/** Translates the messages of the document, and of the page in its frame if it has one. */
export function provideMcpUi(wire: Wire, proxy: string): void {
  /** Receivers of render data, and of its changes. */
  const fed = new Set<Post>();

  const actions: Record<string, (payload: Members) => Promise<unknown>> = {
    tool: ({ toolName, params }) => wire.request("tools/call", { name: toolName, arguments: params ?? {} }),
    prompt: ({ prompt }) =>
      wire.accepted("ui/message", text(prompt), new Error("the prompt was not accepted")),
    // MCP Apps has no intents: the model reads the intent as a message.
    intent: ({ intent, params }) =>
      wire.accepted(
        "ui/message",
        text(`${intent} ${JSON.stringify(params ?? {})}`),
        new Error("the intent was not accepted"),
      ),
    link: ({ url }) => wire.accepted("ui/open-link", { url }, new Error("the link was not opened")),
    notify: async ({ message }) => {
      await wire.connect();
      if (!wire.can("logging")) throw new Error("this host takes no notes of apps");
      await wire.notify("notifications/message", { level: "info", logger: "mcp-ui", data: message });
    },
    "ui-size-change": ({ width, height }) => wire.resize({ width, height }),
    "ui-request-data": ({ requestType }) =>
      Promise.reject(new Error(`this host has no data of the type ${requestType}`)),
  };

  const renderData = (): Members => {
    const { theme, locale, displayMode, containerDimensions } = wire.context;
    const { maxHeight } = recordOf(containerDimensions);
    const own = { toolInput: wire.input, toolOutput: wire.result, theme, locale, displayMode, maxHeight };
    return { ...initialData(wire.result), ...own };
  };
  /** The render data that was sent last. */
  let last = "";
  const feed = (post: Post, messageId?: unknown): void =>
    post({
      type: "ui-lifecycle-iframe-render-data",
      ...(messageId !== undefined && { messageId }),
      payload: { renderData: renderData() },
    });

  const act = (message: Members, post: Post): boolean => {
    const { type, messageId } = message;
    const name = `${type}`;
    if (name === "ui-lifecycle-iframe-ready" || name === "ui-request-render-data") {
      fed.add(post);
      const send = (): void => feed(post, name === "ui-request-render-data" ? messageId : undefined);
      wire.connect().then(send, send);
      return true;
    }
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action) return false;
    const done = action(recordOf(message["payload"]));
    if (messageId === undefined) return true;
    // Answers only reach documents that can assign them.
    post({ type: "ui-message-received", messageId, payload: { messageId } });
    const answer = (payload: object): void =>
      post({ type: "ui-message-response", messageId, payload: { messageId, ...payload } });
    done.then(
      (response) => answer({ response: response ?? {} }),
      ({ message, code }) => answer({ error: { message, code } }),
    );
    return true;
  };

  const toDocument: Post = (data) =>
    dispatchEvent(new MessageEvent("message", { data, origin: proxy, source: PARENT }));
  wire.onpost = (message) => act(message, toDocument);
  wire.onchange.push(() => {
    const before = last;
    last = JSON.stringify(renderData());
    if (last !== before) for (const post of fed) feed(post);
  });
  serveFrame(wire, act);
}

/** Data that the server gave its document for the start. */
function initialData(result: Members | undefined): Members {
  const { content } = recordOf(result);
  for (const block of Array.isArray(content) ? content : []) {
    const { _meta } = recordOf(recordOf(block)["resource"]);
    const data = recordOf(_meta)["mcpui.dev/ui-initial-render-data"];
    if (data !== undefined) return recordOf(data);
  }
  return {};
}

/** Serves the page that the document of a `text/uri-list` shows in its frame. */
function serveFrame(wire: Wire, act: (message: Members, post: Post) => boolean): void {
  const frame = (): HTMLIFrameElement | null => document.querySelector("iframe[data-mcp-ui]");
  const post: Post = (message) => {
    const page = frame();
    page?.contentWindow?.postMessage(message, new URL(page.src).origin);
  };
  addEventListener("message", ({ source, origin, data }) => {
    const page = frame();
    if (page && source === page.contentWindow && origin === new URL(page.src).origin)
      act(recordOf(data), post);
  });
  // A policy may block all frames: the page is still reachable, as a link that the user is asked about.
  addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
    const page = frame();
    if (!page || effectiveDirective !== "frame-src") return;
    const open = document.createElement("button");
    open.textContent = `Open ${new URL(page.src).host}`;
    open.onclick = () => void wire.request("ui/open-link", { url: page.src });
    page.replaceWith(open);
  });
}
