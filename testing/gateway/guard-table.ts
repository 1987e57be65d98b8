/**
 * Requests of hostile apps as a table, which runs against the guard itself and against every entry point.
 * The server is that of `guard-stage.ts`, or any with the same tools and resources.
 */

/**
 * Entry points. `view`: a view's own channel, over a WebSocket or over HTTP; `direct`: the HTTP endpoints by
 * server name; `page`: `gateway/call` on the page's own channel.
 */
export type EntryPoint = "view" | "direct" | "page";

/** Preparation that makes the call an attack; each entry point does it in its own way. */
export type Before =
  /** The view was closed. */
  | "view-closed"
  /** The server now lists the tool `late`, without announcing that its list changed. */
  | "tool-added"
  /** `look` was called without arguments under the key `nonce.1`. */
  | "key-used"
  /**
   * The user always allowed `change`; then its description changed, and the server announced that. Nobody
   * answers now.
   */
  | "tool-changed";

export interface GuardCase {
  /** Name of the attack. */
  readonly id: string;
  readonly title: string;
  readonly entryPoints: readonly EntryPoint[];
  readonly before?: Before;
  readonly call: {
    readonly method: string;
    readonly params: Record<string, unknown>;
    readonly key?: string;
  };
  readonly expect: {
    /** `data.code` of the error; `invalid-params` for -32602 without one. */
    readonly code: string;
    /** The error's number. */
    readonly rpcCode: number;
    /** Calls that reached the server, without lists and those of `before`. */
    readonly upstreamCalls: 0;
    /** Rows of the audit log, without those of `before`. */
    readonly auditRows: 1;
    /** Subject and title of the question to the user, who declines. */
    readonly question?: { readonly subject: string; readonly title: string };
  };
}

const refused = (code: string, rpcCode = -32000): GuardCase["expect"] => ({
  code,
  rpcCode,
  upstreamCalls: 0,
  auditRows: 1,
});
const unknownMethod = refused("method-unknown", -32601);
const invalidParams = refused("invalid-params", -32602);

const VIEW: readonly EntryPoint[] = ["view"];
const SERVERS: readonly EntryPoint[] = ["view", "direct"];
const TOOLS: readonly EntryPoint[] = ["view", "direct", "page"];

const callTool = (name: unknown, more: object = {}) => ({ method: "tools/call", params: { name, ...more } });
const read = (uri: string) => ({ method: "resources/read", params: { uri } });
const open = (url: string) => ({ method: "ui/open-link", params: { url } });

const lookAlikes: Record<string, string> = {
  "in upper case": "LOOK",
  "with a capital": "Look",
  "with a space behind": "look ",
  "with a space before": " look",
  "with a line feed": "look\n",
  "with a NUL": "look\0",
  "with a zero-width space": "look\u200b",
  "with a byte order mark": "\ufefflook",
  "with a soft hyphen": "lo\u00adok",
  "in full-width letters (NFKC)": "\uff4c\uff4f\uff4f\uff4b",
  "with a Cyrillic o": "l\u043eok",
  "with a right-to-left override": "\u202elook",
  "decomposed (NFD)": "cafe\u0301",
  "that is empty": "",
  "that every object has": "__proto__",
  "that every object inherits": "constructor",
  "of a method of objects": "hasOwnProperty",
  "with a path": "../look",
  "with its server": "shop/look",
};

/** Names that look like others; the displayed text must tell them apart. */
const lookAlikeHosts: Record<string, GuardCase["expect"]["question"]> = {
  "https://xn--80ak6aa92e.com/login": {
    subject: "xn--80ak6aa92e.com",
    title: "xn--80ak6aa92e.com (\u0430\u0440\u0440\u04cf\u0435.com)",
  },
  "https://p\u0430ypal.com/": {
    subject: "xn--pypal-4ve.com",
    title: "xn--pypal-4ve.com (p\u0430ypal.com)",
  },
  "https://\uff47oogle.com\u3002evil.example/": {
    subject: "google.com.evil.example",
    title: "google.com.evil.example",
  },
};

/** Each request ends with this error, no call of the server, and one row. */
export const GUARD_TABLE: readonly GuardCase[] = [
  {
    id: "C01",
    title: "a tool for the model alone",
    entryPoints: SERVERS,
    call: callTool("secret"),
    expect: refused("tool-not-visible"),
  },
  {
    id: "C02",
    title: "a tool that is not there",
    entryPoints: TOOLS,
    call: callTool("gone"),
    expect: refused("tool-unknown"),
  },
  {
    id: "C02",
    title: "a tool that was added after the list",
    entryPoints: TOOLS,
    before: "tool-added",
    call: callTool("late"),
    expect: refused("tool-unknown"),
  },
  ...Object.entries(lookAlikes).map(([how, name]) => ({
    id: "C02",
    title: `a name ${how}`,
    entryPoints: TOOLS,
    call: callTool(name),
    expect: refused("tool-unknown"),
  })),
  {
    id: "C02",
    title: "a name of a million characters",
    entryPoints: TOOLS,
    call: callTool("look".repeat(250_000)),
    expect: refused("tool-unknown"),
  },
  ...[["look"], { toString: "look" }, null, 1].map((name) => ({
    id: "C02",
    title: `a name that is ${JSON.stringify(name)}`,
    entryPoints: VIEW,
    call: callTool(name),
    expect: invalidParams,
  })),
  ...["bank", "Shop", "shop ", "", ["shop"], {}, 0].map((server) => ({
    id: "C03",
    title: `a call in the name of the server ${JSON.stringify(server)}`,
    entryPoints: VIEW,
    call: callTool("look", { server }),
    expect: refused("other-server"),
  })),
  {
    id: "C03",
    title: "the UI of another server",
    entryPoints: SERVERS,
    call: read("ui://bank/cart.html"),
    expect: refused("resource-unknown"),
  },
  {
    id: "C03",
    title: "the context of other servers",
    entryPoints: VIEW,
    call: {
      method: "sampling/createMessage",
      params: { messages: [], maxTokens: 1, includeContext: "allServers" },
    },
    expect: refused("other-server"),
  },
  {
    id: "C04",
    title: "an app-only tool through the model's path",
    entryPoints: ["page"] as const,
    call: callTool("inner"),
    expect: refused("tool-not-visible"),
  },
  ...[
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "note://2",
    "NOTE://1",
    "note://1 ",
    "note://1/",
    "note://1%20",
    "notes:///a/b",
    "notes:///..",
    "notes:///%2e%2e",
    "notes:///%252e%252e",
    "notes:///..%2fetc",
    "notes:///..%5cetc",
    "notes:///a%00",
    "ui://shop/../bank",
    "ui://shop/a+b",
    "ui://shop/a%2fb",
    "ui://shop/%2E%2E%2Fx",
    "UI://shop/cart.html",
    "ui://SHOP/cart.html",
    "ui://shop\\cart.html",
    "ui://shop@bank/cart.html",
    "http://169.254.169.254/latest/meta-data",
  ].map((uri) => ({
    id: "C06",
    title: `the resource ${uri}`,
    entryPoints: SERVERS,
    call: read(uri),
    expect: refused("resource-unknown"),
  })),
  {
    id: "C06",
    title: "a subscription to a file",
    entryPoints: VIEW,
    call: { method: "resources/subscribe", params: { uri: "file:///etc/passwd" } },
    expect: refused("resource-unknown"),
  },
  {
    id: "C06",
    title: "a download of a file",
    entryPoints: VIEW,
    call: {
      method: "ui/download-file",
      params: { contents: [{ type: "resource_link", uri: "file:///etc/passwd", name: "a.txt" }] },
    },
    expect: refused("resource-unknown"),
  },
  ...[
    "__resources_read__",
    "initialize",
    "ui/initialize",
    "roots/list",
    "completion/complete",
    "elicitation/create",
    "logging/setLevel",
    "tasks/result",
    "server/discover",
    "gateway/call",
    "Tools/Call",
    "tools/call ",
    "tools/call\u200b",
    "tools\uff0fcall",
    "__proto__",
    "constructor",
    "",
    "ui/notifications/sandbox-proxy-ready",
    "ui/notifications/sandbox-resource-ready",
  ].map((method) => ({
    id: "C07",
    title: `the method ${JSON.stringify(method)}`,
    entryPoints: VIEW,
    call: { method, params: { uri: "note://1", name: "look" } },
    expect: unknownMethod,
  })),
  ...[
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vscode://x",
    "https://user@evil.example/",
    "//evil.example",
    "https:\\\\evil.example",
    "https://evil.example/\u0000",
  ].map((url) => ({
    id: "C14",
    title: `the link ${JSON.stringify(url)}`,
    entryPoints: VIEW,
    call: open(url),
    expect: refused("link-invalid"),
  })),
  ...Object.entries(lookAlikeHosts).map(([url, question]) => ({
    id: "C14",
    title: `the look-alike ${JSON.stringify(url)}`,
    entryPoints: VIEW,
    call: open(url),
    expect: { ...refused("denied"), question },
  })),
  {
    id: "C14",
    title: "a link of 100 kB",
    entryPoints: VIEW,
    call: open(`https://evil.example/${"x".repeat(100_000)}`),
    expect: refused("too-large"),
  },
  {
    id: "A42",
    title: "a link that nobody agrees to",
    entryPoints: VIEW,
    call: open("https://evil.example/?secret"),
    expect: refused("denied"),
  },
  ...["assistant", "system", "USER", ""].map((role) => ({
    id: "C15",
    title: `a message as ${JSON.stringify(role)}`,
    entryPoints: VIEW,
    call: { method: "ui/message", params: { role, content: [] } },
    expect: invalidParams,
  })),
  {
    id: "C15",
    title: "a message of 1 MB",
    entryPoints: VIEW,
    call: {
      method: "ui/message",
      params: { role: "user", content: [{ type: "text", text: "x".repeat(1_000_000) }] },
    },
    expect: refused("too-large"),
  },
  {
    id: "C16",
    title: "the tool that an injected prompt wants called",
    entryPoints: SERVERS,
    call: callTool("change", { arguments: { all: true } }),
    expect: refused("denied"),
  },
  {
    id: "C19",
    title: "a tool, from a view that is closed",
    entryPoints: VIEW,
    before: "view-closed",
    call: callTool("look"),
    expect: refused("view-unknown", -32050),
  },
  {
    id: "C20",
    title: "the same key with other arguments",
    entryPoints: TOOLS,
    before: "key-used",
    call: { ...callTool("look", { arguments: { amount: 1_000_000 } }), key: "nonce.1" },
    expect: refused("conflict", -32050),
  },
  {
    id: "C23",
    title: "a tool that changed after consent",
    entryPoints: SERVERS,
    before: "tool-changed",
    call: callTool("change"),
    expect: refused("denied"),
  },
];

/** The request, and the expected answer if it is known. */
export interface GuardControl extends Pick<GuardCase, "title" | "entryPoints" | "call"> {
  readonly answer?: object;
}

/** The server's record of a call. Lists are not recorded, as the gateway itself requests them too. */
export const notedOf = ({ method, params }: GuardCase["call"]): string[] =>
  method.endsWith("/list") ? [] : [`${method} ${params["name"] ?? params["uri"]}`];

/** Positive controls: each is executed, with one call of the server. */
export const GUARD_CONTROLS: readonly GuardControl[] = [
  { title: "a tool that reads", entryPoints: TOOLS, call: callTool("look") },
  { title: "a tool with a composed name", entryPoints: TOOLS, call: callTool("caf\u00e9") },
  { title: "a tool for views alone", entryPoints: SERVERS, call: callTool("inner") },
  { title: "a tool for the model alone", entryPoints: ["page"], call: callTool("secret") },
  {
    title: "a call in the name of its own server",
    entryPoints: VIEW,
    call: callTool("look", { server: "shop" }),
  },
  { title: "a resource that is listed", entryPoints: SERVERS, call: read("note://1") },
  { title: "a resource of a template", entryPoints: SERVERS, call: read("notes:///7") },
  { title: "the UI of its own tool", entryPoints: SERVERS, call: read("ui://shop/cart.html") },
  {
    title: "the list of resources",
    entryPoints: SERVERS,
    call: { method: "resources/list", params: {} },
    answer: { resources: [{ uri: "note://1" }] },
  },
  {
    title: "the list of templates",
    entryPoints: SERVERS,
    call: { method: "resources/templates/list", params: {} },
    answer: { resourceTemplates: [{ uriTemplate: "notes:///{id}" }, { uriTemplate: "ui://shop/{page}" }] },
  },
  {
    title: "the list of prompts",
    entryPoints: SERVERS,
    call: { method: "prompts/list", params: {} },
    answer: { prompts: [{ name: "greet" }] },
  },
  {
    title: "a prompt",
    entryPoints: VIEW,
    call: { method: "prompts/get", params: { name: "greet" } },
    answer: { messages: [] },
  },
];
