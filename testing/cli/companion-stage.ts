/**
 * The companion on a real gateway with real servers, with agents as clients and a page that sends what a
 * browser would.
 */
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createLog, RunningGateway, readSettings } from "@vitrine/gateway";
import { uiExtension } from "@vitrine/protocol";
import { Companion } from "../../packages/cli/src/companion/companion.ts";
import { GatewayHost, type GatewayHostOptions } from "../../packages/cli/src/companion/gateway-host.ts";
import { serveByHttp } from "../../packages/cli/src/companion/serve-http.ts";
import { pageStorage, RawPage } from "../gateway/entry-points.ts";
import { officialServer } from "../gateway/gateway-stage.ts";
import { STAGE_TOOLS } from "../gateway/guard-stage.ts";

const SHOP = fileURLToPath(new URL("../gateway/shop-server.mjs", import.meta.url));
const LAB = fileURLToPath(new URL("../../packages/cli/dist/demos/lab.js", import.meta.url));
export const TOKEN = "a-token-that-nobody-guesses";

const node = (...args: string[]) => ({ command: process.execPath, args, isolation: "process" });
const html = (title: string) => ({
  mimeType: "text/html;profile=mcp-app",
  text: `<!doctype html><title>${title}</title>`,
  _meta: { ui: { prefersBorder: true } },
});

/** Two official servers, a demo, and two servers that record their requests. */
export function stageServers(folder: string): Record<string, object> {
  const shop = (name: string) => {
    const calls = join(folder, name);
    writeFileSync(calls, "");
    const more = ["control", "wait"].map((tool) => ({
      name: tool,
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    }));
    const pick = {
      name: "pick",
      inputSchema: { type: "object", properties: { size: { type: "number" } }, required: ["size"] },
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: "ui://shop/cart.html" } },
    };
    const tidy = { name: "tidy", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["app"] } } };
    const documents = { "ui://shop/cart.html": html(`Cart of ${name}`) };
    const SHOP_OF = JSON.stringify({ tools: [...STAGE_TOOLS, ...more, pick, tidy], documents, calls });
    return { ...node(SHOP), env: { SHOP: SHOP_OF } };
  };
  return {
    clock: node(officialServer("basic-vanillajs"), "--stdio"),
    budget: node(officialServer("budget-allocator"), "--stdio"),
    lab: node(LAB),
    shop: shop("shop"),
    "shop.two": shop("shop.two"),
  };
}

/** Identity of an agent. */
export interface AgentOptions {
  readonly hasViews?: boolean;
  readonly generation?: "2025" | "2026";
}

export class CompanionStage {
  readonly folder: string;
  readonly gateway: RunningGateway;
  readonly host: GatewayHost;
  readonly companion: Companion;
  readonly url: string;
  readonly #closing: (() => unknown)[];

  private constructor(
    parts: Pick<CompanionStage, "folder" | "gateway" | "host" | "companion" | "url">,
    closing: (() => unknown)[],
  ) {
    ({ folder: this.folder, gateway: this.gateway, host: this.host } = parts);
    ({ companion: this.companion, url: this.url } = parts);
    this.#closing = closing;
  }

  static async open(
    pick: (servers: Record<string, object>) => Record<string, object> = (servers) => servers,
    { grace = 1000, ...options }: Pick<GatewayHostOptions, "open"> & { readonly grace?: number } = {},
  ): Promise<CompanionStage> {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-companion-"));
    const read = await readSettings({
      listen: { port: 0 },
      sandbox: { port: 0 },
      dataFolder: join(folder, "data"),
      session: { grace },
      mcpServers: pick(stageServers(folder)),
    });
    // As on the command line: naming a server trusts it. One server is untrusted, like those of a file.
    const trusted = [...read.servers].map(
      ([name, server]) => [name, { ...server, trusted: name !== "shop.two" }] as const,
    );
    const settings = { ...read, servers: new Map(trusted) };
    let host: GatewayHost | undefined;
    const gateway = await RunningGateway.start(settings, {
      log: createLog({ level: "silent" }),
      onstatus: ({ name, state }) => {
        if (state === "ready") host?.serverChanged(name);
      },
      onchange: (server) => host?.serverChanged(server),
    });
    host = await GatewayHost.open({ gateway, user: "local", ...options });
    const companion = new Companion(host);
    const serving = await serveByHttp(companion, { port: 0, token: TOKEN });
    const closing = [
      () => serving.close(),
      () => companion.close(),
      () => host?.close(),
      () => gateway.close(0),
      () => rm(folder, { recursive: true, force: true }),
    ];
    return new CompanionStage({ folder, gateway, host, companion, url: serving.url }, closing);
  }

  /** An agent with the newest client of the official SDK. */
  async agent({ hasViews = false, generation = "2026" }: AgentOptions = {}): Promise<Client> {
    const client = new Client(
      { name: "agent", version: "1" },
      {
        capabilities: hasViews ? { extensions: uiExtension() } : {},
        versionNegotiation: generation === "2025" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } },
      },
    );
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(this.url), { requestInit }));
    this.#closing.unshift(() => client.close());
    return client;
  }

  /** An agent with the most common client: version 1 of the official SDK. */
  async oldAgent({ hasViews = false }: Pick<AgentOptions, "hasViews"> = {}): Promise<OldClient> {
    const capabilities = hasViews ? { extensions: uiExtension() } : {};
    const client = new OldClient({ name: "agent", version: "1" }, { capabilities });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new OldTransport(new URL(this.url), { requestInit }) as never);
    this.#closing.unshift(() => client.close());
    return client;
  }

  /** The user's browser: a page that shows the companion's conversation. */
  async page(): Promise<BrowserPage> {
    const { origin, token = "" } = this.gateway;
    const raw = new RawPage({ origin, token, over: "websocket", storage: pageStorage() });
    this.#closing.unshift(() => raw.close());
    const [, id = ""] = /#conversation=(.+)$/.exec(this.host.address) ?? [];
    await raw.request("conversation/open", { id });
    return new BrowserPage(raw, id);
  }

  /** Replaces the gateway's servers, as a changed settings file does. */
  async update(pick: (servers: Record<string, object>) => Record<string, object>): Promise<void> {
    const settings = await readSettings({
      listen: { port: 0 },
      sandbox: { port: 0 },
      dataFolder: join(this.folder, "data"),
      mcpServers: pick(stageServers(this.folder)),
    });
    await this.gateway.update(settings);
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
  }
}

/** Does what the workbench does, under a test's control. */
export class BrowserPage {
  readonly raw: RawPage;
  readonly id: string;

  constructor(raw: RawPage, id: string) {
    this.raw = raw;
    this.id = id;
  }

  /** Opens the app of a tool's newest call and returns its view. */
  async open(server: string, tool: string): Promise<string> {
    const { items } = await this.raw.request("conversation/open", { id: this.id });
    const call = items.findLast((item) => item.kind === "call" && item.tool === tool);
    if (!call) throw new Error(`there is no call of ${tool}`);
    const opened = await this.raw.request("gateway/open", {
      server,
      tool,
      call: { conversation: this.id, item: call.id },
    });
    return opened.view;
  }

  say(text: string, view?: string): Promise<unknown> {
    const content = [{ type: "text" as const, text }];
    return this.raw.request("conversation/send", { id: this.id, content, ...(view && { view }) });
  }

  context(view: string, text: string): Promise<unknown> {
    const content = [{ type: "text" as const, text }];
    return this.raw.request("conversation/context", { id: this.id, view, content });
  }

  tools(view: string, tools: { name: string; [more: string]: unknown }[]): Promise<unknown> {
    const whole = tools.map((tool) => ({ inputSchema: { type: "object" as const }, ...tool }));
    return this.raw.request("conversation/app-tools", { id: this.id, view, tools: whole });
  }
}

/** The texts of a result, one for each block. */
export const textsOf = (result: unknown): string[] =>
  (Object(result)["content"] as { text?: string }[]).map(({ text = "" }) => text);
