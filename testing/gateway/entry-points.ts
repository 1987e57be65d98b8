/**
 * The entry points of a real gateway: pages over both transports that send exactly what a test gives them,
 * programs over HTTP, and a server behind the gateway that records its requests.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type GatewayOptions,
  type RunningGateway,
  readSettings,
  type StoredAuditRow,
} from "@vitrine/gateway";
import { recordOf, VitrineError } from "@vitrine/protocol";
import { openSecrets } from "@vitrine/servers";
import type { GatewayAnswer, GatewayNotices, GatewayQuestion, GatewayRequests } from "@vitrine/wire";
import { WebSocket as NodeSocket } from "ws";
import { PageConnection } from "../../packages/host/src/gateway/connection.ts";
import type { LineKind } from "../../packages/host/src/gateway/line.ts";
import { tool } from "../fake-upstream.ts";
import { type StageSettings, startTestGateway } from "./gateway-stage.ts";
import { STAGE_TOOLS } from "./guard-stage.ts";

export const TRANSPORTS: readonly LineKind[] = ["websocket", "http"];

/** A message in its wire format. */
export type Message = Record<string, unknown>;

/** Keeps the session of a page across reloads. */
export interface PageStorage extends Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  /** Its current content, for another page: a reloaded one, or a thief's. */
  copy(): PageStorage;
}

export function pageStorage(kept = new Map<string, string>()): PageStorage {
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: (name) => void kept.delete(name),
    copy: () => pageStorage(new Map(kept)),
  };
}

interface Pending {
  again(): void;
  settle(message: Message): void;
  fail(error: Error): void;
}

/** Options of a {@link RawPage}. */
export interface RawPageOptions {
  origin: string;
  token: string;
  over: LineKind;
  storage?: PageStorage | undefined;
}

/**
 * Connects like our pages, and sends whatever a test gives it: any channel, any id, any method.
 */
export class RawPage {
  /** The user's answer. A promise that never settles is a user who does not answer. */
  answer: (question: GatewayQuestion) => GatewayAnswer | Promise<GatewayAnswer> = () => ({ answer: "deny" });
  /** Answers to the gateway's other requests, by method. */
  readonly answers: Record<string, (params: never) => unknown> = {};
  /** Questions, as received. */
  readonly asked: GatewayQuestion[] = [];
  /** Received messages that are no answers, with their channel. */
  readonly heard: { channel: string; message: Message }[] = [];
  /** Unexpected answers: on the wrong channel, repeated, or for another page. */
  readonly stray: { channel: string; message: Message }[] = [];
  readonly nonce = randomBytes(6).toString("hex");
  readonly storage: PageStorage;
  readonly #connection: PageConnection;
  readonly #pending = new Map<string, Pending>();
  readonly #lines = new Set<() => void>();
  #last = 0;
  #isGone = false;

  constructor({ origin, token, over, storage = pageStorage() }: RawPageOptions) {
    this.storage = storage;
    const headers = { authorization: `Bearer ${token}`, origin };
    const lines = this.#lines;
    class Socket extends NodeSocket {
      constructor(url: string | URL) {
        super(url, { headers, perMessageDeflate: false });
        lines.add(() => this.terminate());
      }
    }
    /** A proxy that blocks WebSockets. */
    class NoSocket {
      onerror: (() => void) | undefined;
      constructor() {
        setTimeout(() => this.onerror?.());
      }
      close() {}
    }
    const send: typeof fetch = async (url, init = {}) => {
      if (this.#isGone) throw new Error("the page is gone");
      const cut = new AbortController();
      lines.add(() => cut.abort());
      const signal = init.signal ? AbortSignal.any([init.signal, cut.signal]) : cut.signal;
      return fetch(url, { ...init, signal, headers: { ...Object(init.headers), ...headers } });
    };
    this.#connection = new PageConnection(
      {
        url: `${origin}/api/session`,
        storage,
        fetch: send,
        // Both provide as much of a WebSocket as a page needs.
        WebSocket: (over === "websocket" ? Socket : NoSocket) as unknown as typeof WebSocket,
        upgradeAfter: 3_600_000,
      },
      {
        // Messages from before the session are sent now.
        renewed: () => {
          for (const { again } of this.#pending.values()) again();
        },
        takenOver: () => this.#fail("taken over"),
        closed: (message) => this.#fail(message),
      },
    );
    this.#connection.session.onmessage = (channel, text) => this.#receive(channel, JSON.parse(text));
    this.#connection.start();
  }

  get state() {
    return this.#connection.state;
  }

  /** Sends a message unchanged. */
  send(channel: string, message: Message): void {
    this.#connection.session.send(channel, JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a request, with a new id or the given one. */
  ask(channel: string, method: string, params: unknown, id = this.nextId()): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const key = `${channel} ${id}`;
      const again = () => this.send(channel, { id, method, params });
      this.#pending.set(key, {
        again,
        settle: ({ error, result }) => {
          this.#pending.delete(key);
          const { code, message, data } = recordOf(error);
          if (error === undefined) resolve(result);
          else reject(new VitrineError(Number(code), `${message}`, { data }));
        },
        fail: reject,
      });
      again();
    });
  }

  /** Cancels a request. Its answer may be on its way. */
  cancel(channel: string, id: string): void {
    this.send(channel, { method: "notifications/cancelled", params: { requestId: id } });
    this.#fail("cancelled", `${channel} ${id}`);
  }

  /** Closes a view; its pending requests are not answered any more. */
  async closeView(view: string): Promise<void> {
    await this.request("gateway/close", { view });
    this.#fail("the view is closed", `${view} `);
  }

  /** Sends a request to the gateway itself. */
  request<M extends keyof GatewayRequests>(
    method: M,
    params: GatewayRequests[M]["params"],
  ): Promise<GatewayRequests[M]["result"]> {
    return this.ask(".", method, params) as Promise<GatewayRequests[M]["result"]>;
  }

  /** Notifications of one method, on any channel. */
  notices<M extends keyof GatewayNotices>(method: M): GatewayNotices[M][];
  notices(method: string): Record<string, unknown>[];
  notices(method: string): unknown[] {
    return this.heard
      .filter(({ message }) => message["method"] === method)
      .map(({ message }) => message["params"]);
  }

  nextId(): string {
    return `${this.nonce}.${++this.#last}`;
  }

  /** Loses the network; the page reconnects by itself. */
  cut(): void {
    for (const end of this.#lines) end();
    this.#lines.clear();
  }

  /** Disappears silently, like a reloaded tab; the gateway keeps its session. */
  leave(): void {
    this.#isGone = true;
    this.cut();
    this.close();
  }

  /** Ends its session. */
  close(): void {
    this.#connection.close();
  }

  /** Pending requests with this prefix will not be answered. */
  #fail(message: string, beginning = ""): void {
    for (const [key, { fail }] of this.#pending) {
      if (!key.startsWith(beginning)) continue;
      this.#pending.delete(key);
      fail(new VitrineError("closed", message));
    }
  }

  #receive(channel: string, message: Message): void {
    const { id, method, params } = message;
    const pending = this.#pending.get(`${channel} ${id}`);
    if (method === "gateway/ask") void this.#answer(`${id}`, params as GatewayQuestion);
    else if (method !== undefined && id !== undefined) void this.#act(`${id}`, `${method}`, params as never);
    else if (method !== undefined) this.heard.push({ channel, message });
    else if (pending) pending.settle(message);
    else this.stray.push({ channel, message });
  }

  async #act(id: string, method: string, params: never): Promise<void> {
    const answer = await (async () => ({ result: await this.answers[method]?.(params) }))().catch(
      ({ message }: Error) => ({ error: { code: -32603, message } }),
    );
    this.send(".", { id, ...answer });
  }

  async #answer(id: string, question: GatewayQuestion): Promise<void> {
    this.asked.push(question);
    const result = await this.answer(question);
    if (this.state.phase !== "closed") this.send(".", { id, result });
  }
}

const SHOP = fileURLToPath(new URL("./shop-server.mjs", import.meta.url));
const HTML = "text/html;profile=mcp-app";
const reads = { annotations: { readOnlyHint: true } };

/** A tool with a UI. */
const shown = (name: string, resourceUri: string) => tool(name, { ...reads, _meta: { ui: { resourceUri } } });

/** Resources and prompts of the server, beside the tools of the table. */
const MORE_TOOLS = [
  tool("control", { ...reads, _meta: { ui: { visibility: ["model", "app"] } } }),
  tool("wait", reads),
  shown("camera", "ui://shop/camera.html"),
  shown("broken", "ui://shop/broken.html"),
  shown("mapped", "mcp-app://shop/mapped.html"),
];

/** UI documents by URI: one that requests the camera, and one that is not HTML. */
const DOCUMENTS = {
  "ui://shop/cart.html": { mimeType: HTML, text: "<!doctype html><title>Cart</title>" },
  "ui://shop/camera.html": {
    mimeType: HTML,
    text: "<!doctype html><title>Camera</title>",
    _meta: { ui: { permissions: { camera: {} } } },
  },
  "ui://shop/broken.html": { mimeType: "text/plain", text: "no page" },
  "mcp-app://shop/mapped.html": { mimeType: HTML, text: "<!doctype html><title>Mapped</title>" },
};

/** A gateway, its users, and the server `shop`. */
export class EntryPoints {
  readonly gateway: RunningGateway;
  /** The folder of its files; `data` has the gateway's own. */
  readonly folder: string;
  /** Lines of its log. */
  readonly log: readonly string[];
  readonly #settings: StageSettings;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #pages: RawPage[] = [];

  private constructor(
    gateway: RunningGateway,
    log: readonly string[],
    folder: string,
    settings: StageSettings,
    tokens: ReadonlyMap<string, string>,
  ) {
    this.gateway = gateway;
    this.log = log;
    this.folder = folder;
    this.#settings = settings;
    this.#tokens = tokens;
  }

  /** `settings` of the gateway; `shop` is merged into its server's settings, and `more` are further servers. */
  static async open(
    users: readonly string[],
    {
      shop = {},
      more = {},
      ...settings
    }: StageSettings & { shop?: object; more?: Record<string, object> } = {},
    options: Pick<GatewayOptions, "host" | "testMode" | "setup" | "detection"> = {},
  ): Promise<EntryPoints> {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-entry-"));
    writeFileSync(join(folder, "calls"), "");
    const tokens = new Map(users.map((name) => [name, randomBytes(24).toString("base64url")]));
    const servers = Object.entries({ shop, ...more });
    const written = {
      mcpServers: Object.fromEntries(
        servers.map(([name, own]) => [name, shopServer(join(folder, "calls"), own)]),
      ),
      users: [...tokens].map(([name, token]) => ({ name, token })),
      ...settings,
    };
    const { gateway, log } = await startTestGateway(written, join(folder, "data"), undefined, options);
    return new EntryPoints(gateway, log, folder, written, tokens);
  }

  /** Changes the gateway's settings; `servers` replaces all servers. */
  async update(servers: Record<string, object>, settings: StageSettings = {}): Promise<string[]> {
    const calls = join(this.folder, "calls");
    const read = await readSettings(
      {
        listen: { port: 0 },
        sandbox: { port: 0 },
        dataFolder: join(this.folder, "data"),
        ...this.#settings,
        ...settings,
        mcpServers: Object.fromEntries(
          Object.entries(servers).map(([name, more]) => [name, shopServer(calls, more)]),
        ),
      },
      { secrets: (dataFolder) => openSecrets({ folder: dataFolder }) },
    );
    return this.gateway.update(read);
  }

  tokenOf(user: string): string {
    return this.#tokens.get(user) ?? "";
  }

  /** Opens a connected page of a user. */
  async page(
    user: string,
    over: LineKind,
    storage?: PageStorage,
    answer?: RawPage["answer"],
  ): Promise<RawPage> {
    const { origin } = this.gateway;
    const page = new RawPage({ origin, token: this.tokenOf(user), over, storage });
    if (answer) page.answer = answer;
    this.#pages.push(page);
    await page.request("gateway/servers", {});
    if (page.state.phase !== "open" || page.state.over !== over) throw new Error(`not over ${over}`);
    return page;
  }

  /** Sends a request of a program: by server name, without an app. */
  async post(
    user: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Message }> {
    const { origin } = this.gateway;
    const response = await fetch(`${origin}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.tokenOf(user)}`,
        origin,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : {} };
  }

  /** Sends a message of a view that a program shows, to the host endpoint. */
  host(
    user: string,
    message: Message,
    headers: Record<string, string> = {},
  ): ReturnType<EntryPoints["post"]> {
    return this.post(user, "/api/servers/shop/host", { jsonrpc: "2.0", ...message }, headers);
  }

  /** The value of a metric, by name and labels as they are written there; 0 if absent. */
  metric(series: string): number {
    const line = this.gateway.metrics
      .text()
      .split("\n")
      .find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? 0);
  }

  /** Requests that reached the server, from all callers: `tools/call look`, `resources/read note://1`. */
  get calls(): string[] {
    return readFileSync(join(this.folder, "calls"), "utf8").split("\n").slice(0, -1);
  }

  /**
   * Rows of a user's audit log after the given one, without the policies of opened views, which are recorded
   * later.
   */
  async rows(user: string, after = 0): Promise<StoredAuditRow[]> {
    const rows = await this.gateway.api.audit.query({ user }, { after, limit: 1000 });
    return rows.filter(({ method }) => method !== "gateway/policy");
  }

  /** The number of a user's last row. */
  async lastRow(user: string): Promise<number> {
    const [row] = await this.gateway.api.audit.query({ user }, { limit: 1, newestFirst: true });
    return row?.seq ?? 0;
  }

  async close(): Promise<void> {
    for (const page of this.#pages) page.close();
    await this.gateway.close(0);
    await rm(this.folder, { recursive: true, force: true });
  }
}

function shopServer(calls: string, more: object): object {
  const env = {
    SHOP: JSON.stringify({ tools: [...STAGE_TOOLS, ...MORE_TOOLS], documents: DOCUMENTS, calls }),
  };
  return { command: process.execPath, args: [SHOP], env, isolation: "process", ...more };
}
