/**
 * Realistic messages of views, hosts and servers, at least one per method. They are compiled against the
 * method table; `messages.test.ts` and `official-schema.test.ts` run them.
 */
import type { NotificationMethod, Params, RequestMethod, Result } from "./methods.js";

type RequestSamples = { [M in RequestMethod]: { params: Params<M>[]; results: Result<M>[] } };
type NotificationSamples = { [M in NotificationMethod]: Params<M>[] };

const tool: Result<"tools/list">["tools"][number] = {
  name: "get_weather",
  title: "Weather",
  description: "The weather of a city",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  },
  outputSchema: { type: "object", $schema: "https://json-schema.org/draft/2020-12/schema" },
  annotations: { readOnlyHint: true, openWorldHint: true, title: "Weather" },
  icons: [{ src: "https://example.com/sun.svg", mimeType: "image/svg+xml", sizes: ["any"], theme: "light" }],
  _meta: { ui: { resourceUri: "ui://weather/view.html", visibility: ["model", "app"] } },
};

const text = { type: "text", text: "It is 21 °C in Rome." } as const;
const content: Result<"tools/call">["content"] = [
  {
    ...text,
    annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-11-01T12:00:00Z" },
    _meta: { source: "cache" },
  },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  { type: "resource_link", uri: "file:///rome.csv", name: "rome.csv", mimeType: "text/csv", size: 1024 },
  { type: "resource", resource: { uri: "file:///rome.txt", mimeType: "text/plain", text: "sunny" } },
  { type: "resource", resource: { uri: "file:///rome.bin", blob: "AAEC" }, annotations: { priority: 1 } },
];

const csp = {
  connectDomains: ["https://api.example.com"],
  resourceDomains: ["https://cdn.example.com", "https://*.tiles.example.com"],
  frameDomains: [],
  baseUriDomains: ["https://cdn.example.com"],
};
const permissions = { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} };

/**
 * Contexts: empty, typical, and one with everything except sizes and variables, which the official JSON
 * Schema gets wrong.
 */
const contexts: Params<"ui/notifications/host-context-changed">[] = [
  {},
  { theme: "dark", displayMode: "inline", locale: "en-GB", timeZone: "Europe/Berlin" },
  {
    toolInfo: { id: 7, tool },
    theme: "light",
    styles: {
      css: { fonts: "@font-face { font-family: Inter; src: url(https://cdn.example.com/i.woff2) }" },
    },
    displayMode: "pip",
    availableDisplayModes: ["inline", "fullscreen", "pip"],
    containerDimensions: {},
    userAgent: "vitrine/0.1.0",
    platform: "web",
    deviceCapabilities: { touch: true, hover: false },
    safeAreaInsets: { top: 0, right: 0, bottom: 34, left: 0 },
    "vitrine/instance": "i-1",
  },
];

/** Samples of every request: params and results. */
export const REQUEST_SAMPLES: RequestSamples = {
  ping: { params: [{}, { _meta: { progressToken: 1 } }], results: [{}] },
  "ui/initialize": {
    params: [
      {
        protocolVersion: "2026-01-26",
        appInfo: { name: "weather", version: "1.0.0" },
        appCapabilities: {},
      },
      {
        protocolVersion: "2025-11-21",
        appInfo: {
          name: "weather",
          version: "1.0.0-beta.1",
          title: "Weather",
          description: "Shows the weather",
          websiteUrl: "https://example.com",
          icons: [{ src: "data:image/png;base64,iVBORw0KGgo=" }],
        },
        appCapabilities: {
          experimental: { "acme/draw": { level: 2 } },
          tools: { listChanged: true },
          availableDisplayModes: ["inline", "fullscreen"],
        },
      },
    ],
    results: contexts.map((hostContext) => ({
      protocolVersion: "2026-01-26",
      hostInfo: { name: "vitrine", version: "0.1.0" },
      hostCapabilities: {
        experimental: {},
        openLinks: {},
        downloadFile: {},
        serverTools: { listChanged: true },
        serverResources: {},
        logging: {},
        sandbox: { permissions, csp },
        updateModelContext: { text: {}, structuredContent: {} },
        message: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} },
        sampling: { tools: {} },
      },
      hostContext,
    })),
  },
  "ui/open-link": {
    params: [{ url: "https://example.com/a?b=c#d" }, { url: "mailto:ada@example.com" }],
    results: [{}, { isError: true }],
  },
  "ui/download-file": {
    params: [
      {
        contents: [
          { type: "resource", resource: { uri: "file:///r.csv", mimeType: "text/csv", text: "a,b\n1,2" } },
          { type: "resource", resource: { uri: "file:///r.png", mimeType: "image/png", blob: "iVBORw0K" } },
          { type: "resource_link", uri: "https://example.com/r.pdf", name: "r.pdf" },
        ],
      },
    ],
    results: [{}, { isError: true }],
  },
  "ui/message": {
    params: [
      { role: "user", content: [text] },
      { role: "user", content },
    ],
    results: [{}, { isError: false }],
  },
  "ui/update-model-context": {
    params: [{}, { content: [text] }, { content, structuredContent: { selected: ["Rome"] } }],
    results: [{}],
  },
  "ui/request-display-mode": {
    params: [{ mode: "inline" }, { mode: "fullscreen" }, { mode: "pip" }],
    results: [{ mode: "inline" }],
  },
  "ui/resource-teardown": { params: [{}, { reason: "The conversation was closed" }], results: [{}] },
  "tools/call": {
    params: [
      { name: "get_weather" },
      { name: "get_weather", arguments: { city: "Rome", days: [1, 2] }, _meta: { progressToken: "t" } },
    ],
    results: [
      { content: [] },
      { content, structuredContent: { celsius: 21 }, isError: false, _meta: { "acme/ms": 12 } },
      { content: [{ type: "text", text: "no such city" }], isError: true },
    ],
  },
  "tools/list": {
    params: [{}, { cursor: "2" }],
    results: [
      { tools: [] },
      { tools: [tool, { name: "x", inputSchema: { type: "object" } }], nextCursor: "3" },
    ],
  },
  "resources/read": {
    params: [{ uri: "ui://weather/view.html" }],
    results: [
      {
        contents: [
          {
            uri: "ui://weather/view.html",
            mimeType: "text/html;profile=mcp-app",
            text: "<!doctype html>",
            _meta: { ui: { csp, permissions, prefersBorder: true } },
          },
          { uri: "file:///a.bin", blob: "AAEC" },
        ],
      },
    ],
  },
  "resources/list": {
    params: [{}, { cursor: "next", _meta: {} }],
    results: [{ resources: [{ uri: "file:///a.txt", name: "a.txt", title: "A", size: 3 }], nextCursor: "n" }],
  },
  "resources/templates/list": {
    params: [{}],
    results: [
      { resourceTemplates: [{ uriTemplate: "file:///{path}", name: "files", mimeType: "text/plain" }] },
    ],
  },
  "resources/subscribe": { params: [{ uri: "file:///a.txt" }], results: [{}] },
  "resources/unsubscribe": { params: [{ uri: "file:///a.txt" }], results: [{}] },
  "prompts/list": {
    params: [{}],
    results: [
      {
        prompts: [
          { name: "greet", arguments: [{ name: "who", description: "whom to greet", required: true }] },
        ],
      },
    ],
  },
  "prompts/get": {
    params: [{ name: "greet" }, { name: "greet", arguments: { who: "Ada" } }],
    results: [
      { description: "A greeting", messages: [{ role: "user", content: { type: "text", text: "Hi Ada" } }] },
    ],
  },
  "sampling/createMessage": {
    params: [
      { messages: [{ role: "user", content: { type: "text", text: "Sum up" } }], maxTokens: 100 },
      {
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "1", name: "x", input: { a: 1 } }] },
          { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [text] }] },
        ],
        maxTokens: 1,
        systemPrompt: "Be brief",
        temperature: 0.2,
        stopSequences: ["END"],
        modelPreferences: { hints: [{ name: "small" }], costPriority: 1, speedPriority: 0.5 },
        includeContext: "none",
        metadata: { trace: "1" },
        tools: [tool],
        toolChoice: { mode: "auto" },
      },
    ],
    results: [
      { role: "assistant", model: "m-1", content: { type: "text", text: "Sunny" }, stopReason: "endTurn" },
      { role: "assistant", model: "m-1", content: [{ type: "tool_use", id: "1", name: "x", input: {} }] },
    ],
  },
};

/** Samples of every notification: params. */
export const NOTIFICATION_SAMPLES: NotificationSamples = {
  "ui/notifications/initialized": [{}],
  "ui/notifications/size-changed": [{}, { height: 320 }, { width: 640.5, height: 0 }],
  "ui/notifications/request-teardown": [{}],
  "ui/notifications/tool-input": [{}, { arguments: { city: "Rome", nested: { list: [null, 1, "x"] } } }],
  "ui/notifications/tool-input-partial": [{}, { arguments: { city: "Ro" } }],
  "ui/notifications/tool-result": REQUEST_SAMPLES["tools/call"].results,
  "ui/notifications/tool-cancelled": [{}, { reason: "The user stopped it" }],
  "ui/notifications/host-context-changed": contexts,
  "ui/notifications/sandbox-proxy-ready": [{}],
  "ui/notifications/sandbox-resource-ready": [
    { html: "<!doctype html>" },
    { html: "<!doctype html><p>Grüße", sandbox: "allow-scripts", csp, permissions },
  ],
  "notifications/message": [
    { level: "info", data: "loaded" },
    { level: "emergency", data: { any: ["thing", null] }, logger: "view" },
  ],
  "notifications/cancelled": [{ requestId: 1 }, { requestId: "a", reason: "timeout" }, {}],
  "notifications/progress": [
    { progressToken: 0, progress: 0.5 },
    { progressToken: "t", progress: 1, total: 2, message: "half" },
  ],
  "notifications/tools/list_changed": [{}, { _meta: {} }],
  "notifications/resources/list_changed": [{}],
  "notifications/resources/updated": [{ uri: "file:///a.txt" }],
  "notifications/prompts/list_changed": [{}],
};
