/**
 * A host page on `<mcp-app>`: tests open it, mount apps in it by name, and read what happened. Runs in the browser.
 */

import {
  type HostHandlers,
  httpUpstream,
  type ServerCapabilities,
  standardGuard,
  type Upstream,
} from "@vitrine/guard";
import {
  type AppFrameOptions,
  appBudget,
  askInFrame,
  askInPage,
  type FrameView,
  McpAppElement,
  saveFiles,
  setLanguage,
  type WarmOptions,
  warm,
} from "@vitrine/host";
import "@vitrine/host/define";
import { bestLanguage, german } from "@vitrine/host/languages";
import {
  type CallToolResult,
  DEFAULT_STYLE_VARIABLES,
  type DisplayMode,
  type HostContext,
  JsonText,
  type Tool,
} from "@vitrine/protocol";
import { EventLog } from "../event-log.ts";

/** An app as the test's server describes it. */
export interface Served {
  server: string;
  capabilities: ServerCapabilities;
  view: FrameView | { error: { code: string; message: string } };
  tool?: Tool;
}

/** Options of a test, beside the app's name. */
export interface MountOptions {
  id?: string;
  title?: string;
  input?: Record<string, unknown>;
  result?: CallToolResult;
  /** Host context for the app, overridden by values that the page finds itself. */
  context?: Partial<HostContext>;
  /** The element to append the app to; the body by default. */
  place?: "start" | "end";
  /** Never answers a request to open a link. */
  hangs?: boolean;
  /** Keeps the app running far from the screen. */
  keep?: boolean;
  /** Pixels of the page below it. */
  space?: number;
  /** HTML inside the element. */
  inner?: string;
  /** The host passes no look of its own. */
  looksLikePage?: boolean;
  /** Answers every question instead of the user; or asks, as a page with a gateway does. */
  consent?: "allow" | "deny" | "in page";
  /** The only display modes that the host allows. */
  modes?: DisplayMode[];
  /** Saves files instead of only reporting success. */
  saves?: boolean;
  /** Handlers that this host lacks. */
  without?: (keyof HostHandlers)[];
  options?: Partial<Pick<AppFrameOptions, "dimensions" | "displayModes" | "limits" | "dialect">> & {
    view?: FrameView;
  };
}

const log = new EventLog();
const upstreams = new Map<string, { upstream: Upstream; guard: ReturnType<typeof standardGuard> }>();

function connect({ server, capabilities }: Served, consent: MountOptions["consent"]) {
  const key = `${server} ${consent}`;
  let entry = upstreams.get(key);
  if (!entry) {
    const upstream = httpUpstream({ url: `/rpc/${encodeURIComponent(server)}`, server, capabilities });
    const guard = standardGuard(upstream, {
      ask:
        consent === "in page"
          ? askInPage
          : consent
            ? (question) => {
                log.add("asked", { method: question.method, subject: question.subject, view: question.view });
                return { answer: consent };
              }
            : askInFrame,
      audit: { sink: (row) => log.add("audit", row) },
    });
    upstreams.set(key, (entry = { upstream, guard }));
  }
  return entry;
}

const described = new Map<string, Promise<Served>>();

/** The back end's description of an app, fetched once. */
function describe(name: string): Promise<Served> {
  const served =
    described.get(name) ?? fetch(`/apps/${encodeURIComponent(name)}`).then((answer) => answer.json());
  described.set(name, served);
  return served;
}

/** Adds an app to the page. */
async function mount(
  name: string,
  {
    id = name,
    title = name,
    input,
    result,
    place,
    inner = "",
    looksLikePage,
    consent,
    saves,
    without,
    modes,
    context,
    options,
    hangs,
    keep = false,
    space = 0,
  }: MountOptions = {},
) {
  const served = await describe(name);
  const { upstream, guard } = connect(served, consent);
  const element = document.createElement("mcp-app");
  element.id = id;
  element.toggleAttribute("keep", keep);
  element.style.marginBottom = `${space}px`;
  for (const event of ["released", "restored"])
    element.addEventListener(event, () => log.add(`${id} event ${event}`));
  element.innerHTML = inner;
  const { view, tool } = served;
  const handlers: HostHandlers = {
    openLink: (params) => {
      log.add("open-link", { id, ...params });
      return hangs ? new Promise(() => {}) : undefined;
    },
    message: (params, { server }) => log.add("message", { ...params, id, server }),
    updateModelContext: (params, { server }) => log.add("model-context", { ...params, id, server }),
    downloadFile: saves ? saveFiles(upstream) : (params) => log.add("download", { id, ...params }),
    createMessage: (params) => {
      log.add("sampling", { id, ...params });
      return { role: "assistant", model: "none", content: { type: "text", text: "sampled" } };
    },
    log: (params) => log.add("log", { id, ...params }),
    ...(modes && {
      requestDisplayMode: ({ mode }) => ({ mode: modes.includes(mode) ? mode : "inline" }),
    }),
  };
  for (const each of without ?? []) delete handlers[each];
  element.app = {
    info: { name: "test host", version: "1.0.0" },
    title,
    upstream,
    guard,
    view: "src" in view ? view : Promise.reject(Object.assign(new Error(view.error.message), view.error)),
    context: {
      ...(looksLikePage ? undefined : { styles: { variables: DEFAULT_STYLE_VARIABLES } }),
      ...(tool && { toolInfo: { tool } }),
      ...context,
    },
    fallback: () =>
      (result?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n"),
    handlers,
    onstate: (state, failure) => log.add(`${id} ${state}`, failure ?? {}),
    onreport: (report) => log.add("report", { id, ...report }),
    ...options,
  };
  if (place === "start") document.body.prepend(element);
  else document.body.append(element);
  const { bridge } = element;
  bridge?.on("report", ({ code, message }) => log.add("odd", { id, code, message }));
  bridge?.on("size", (size) => log.add("size", { id, ...size }));
  if (input) bridge?.sendToolInput(input);
  if (result) bridge?.sendToolResult(result);
}

/** The element of an app. */
function app(id: string): McpAppElement {
  const element = document.getElementById(id);
  if (!(element instanceof McpAppElement)) throw new Error(`no app ${id}`);
  return element;
}

/**
 * Logs that a failure is evident, and later that it should have been shown by now. Timers of a page fire in
 * the order in which they are due, on a slow machine too, so anything logged before was in time.
 */
function evident(milliseconds = 2000): void {
  log.add("evident");
  // Waits for one more task, for work that was due before in another queue of the browser.
  setTimeout(() => setTimeout(() => log.add("too late")), milliseconds);
}

/** Sets the page's language: the best for a tag, or German written from right to left. */
function speak(tag: string): void {
  setLanguage(tag === "rtl" ? { ...german, tag: "he", direction: "rtl" } : bestLanguage([tag]));
}

const api = {
  log,
  budget: appBudget,
  speak,
  evident,
  mount,
  app,
  describe,
  /** Sends a result as the text in which it arrived. */
  sendJson: (id: string, text: string) => app(id).bridge?.sendToolResult(new JsonText(text)),
  warmView: warm,
  warm: async (name: string, options?: WarmOptions) => {
    const { view } = await describe(name);
    if ("src" in view) warm(view, options);
  },
};
/** Functions that tests call in the page, as `host`. */
export type HostApi = typeof api;
Object.assign(globalThis, { host: api });
