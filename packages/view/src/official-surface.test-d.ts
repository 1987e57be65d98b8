/**
 * Proves at compile time that our `App` has the official one's surface, so that moving a view changes only
 * its import. Nothing here runs: `npm run lint` compiles it.
 */
import type * as official from "@modelcontextprotocol/ext-apps";
import * as z from "zod";
import type * as ours from "./index.js";

/**
 * Names that we omit on purpose: internals of the SDK's `Protocol` that no view needs.
 * - `transport` is the current connection; we keep it private.
 * - `assertCanSetRequestHandler` throws if a handler is set; our setters throw themselves.
 * - `fallbackRequestHandler`, `fallbackNotificationHandler` handle methods without a handler; use
 * `setRequestHandler` and `setNotificationHandler` with the method's name.
 */
type LeftOut =
  | "transport"
  | "assertCanSetRequestHandler"
  | "fallbackRequestHandler"
  | "fallbackNotificationHandler";

const none = <_Names extends never>(): void => {};
none<Exclude<keyof official.App, keyof ours.App | LeftOut>>();
// Keeps the list correct: everything on it is in the official App and not in ours.
none<Exclude<LeftOut, keyof official.App>>();
none<Extract<LeftOut, keyof ours.App>>();

// The same calls on both, kept identical by official-surface.browser.test.ts. They are never run.
export async function onTheOfficialOne(module: typeof official): Promise<void> {
  const { App, PostMessageTransport } = module;
  const { applyDocumentTheme, applyHostStyleVariables, applyHostFonts, getDocumentTheme } = module;
  // #region calls

  const app = new App(
    { name: "sample", version: "1.0.0", title: "Sample" },
    { tools: { listChanged: true }, availableDisplayModes: ["inline", "pip"], experimental: {} },
    { autoResize: true, strict: true, allowUnsafeEval: false },
  );
  new App({ name: "sample", version: "1.0.0" });

  app.ontoolinput = ({ arguments: args }) => args?.city;
  app.ontoolinputpartial = (params) => {
    const city: unknown = params.arguments?.city;
    return void city;
  };
  app.ontoolresult = ({ content, structuredContent, isError, _meta }) => {
    const [block] = content;
    if (block?.type === "text") block.text.trim();
    if (block?.type === "resource_link") block.uri.trim();
    void [structuredContent, isError === true, _meta?.own];
  };
  app.ontoolresult = undefined;
  app.ontoolcancelled = ({ reason }) => reason?.trim();
  app.onhostcontextchanged = ({ theme, styles, displayMode, containerDimensions, locale, toolInfo }) => {
    if (theme) applyDocumentTheme(theme);
    if (styles?.variables) applyHostStyleVariables(styles.variables);
    if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
    void [displayMode === "fullscreen", containerDimensions, locale?.trim(), toolInfo?.tool.name];
  };
  app.onteardown = async () => ({});
  app.onerror = (error) => error.message;
  app.onclose = () => {};
  app.oncalltool = async ({ name, arguments: args }) => ({
    content: [{ type: "text", text: name }],
    structuredContent: { ...args },
  });
  app.onlisttools = async () => ({ tools: [{ name: "own", inputSchema: { type: "object" } }] });

  const listener = ({ arguments: args }: { arguments?: Record<string, unknown> | undefined }) => void args;
  app.addEventListener("toolinput", listener);
  app.removeEventListener("toolinput", listener);

  await app.connect();
  await app.connect(new PostMessageTransport(window.parent, window.parent));
  await app.connect(undefined, { timeout: 1_000 });
  app.getHostContext()?.theme === getDocumentTheme();
  app.getHostCapabilities()?.serverTools?.listChanged;
  app.getHostVersion()?.name.trim();

  const { signal } = new AbortController();
  const result = await app.callServerTool(
    { name: "search", arguments: { q: "a" }, _meta: { own: 1 } },
    {
      signal,
      timeout: 5_000,
      onprogress: ({ progress, total, message }) => void [progress + (total ?? 0), message?.trim()],
      resetTimeoutOnProgress: true,
      maxTotalTimeout: 60_000,
    },
  );
  result.content.map((block) => (block.type === "image" ? block.mimeType : ""));
  const { contents } = await app.readServerResource({ uri: "demo://one" }, { signal });
  contents.map((item) => ("text" in item ? item.text : item.blob));
  const { resources, nextCursor } = await app.listServerResources({ cursor: "next" });
  resources.map(({ uri, name, mimeType }) => [uri, name, mimeType, nextCursor]);
  await app.listServerResources();
  const sampled = await app.createSamplingMessage({
    messages: [{ role: "user", content: { type: "text", text: "hi" } }],
    systemPrompt: "be brief",
    maxTokens: 10,
  });
  sampled.model.trim();

  const { isError } = await app.sendMessage(
    { role: "user", content: [{ type: "text", text: "hi" }] },
    { signal },
  );
  void (isError === true);
  await app.sendLog({ level: "info", logger: "sample", data: { any: "thing" } });
  await app.updateModelContext({ content: [{ type: "text", text: "hi" }], structuredContent: { page: 2 } });
  await app.openLink({ url: "https://example.com/" });
  await app.sendOpenLink({ url: "https://example.com/" });
  await app.downloadFile({
    contents: [
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "A" } },
      { type: "resource_link", uri: "https://example.com/b", name: "b" },
    ],
  });
  await app.requestTeardown();
  const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
  void (mode === "inline");
  await app.sendSizeChanged({ width: 1, height: 2 });
  app.setupSizeChangedNotifications()();
  await app.sendToolListChanged();

  const tool = app.registerTool(
    "own",
    {
      title: "Own",
      description: "A tool of the view",
      inputSchema: z.object({ n: z.number(), unit: z.string().optional() }),
      outputSchema: z.object({ doubled: z.number() }),
      annotations: { readOnlyHint: true, destructiveHint: false },
      _meta: { own: 1 },
    },
    async ({ n, unit }, { mcpReq }) => {
      mcpReq.signal.throwIfAborted();
      const id: string | number = mcpReq.id;
      return { content: [{ type: "text", text: `${unit}${id}` }], structuredContent: { doubled: 2 * n } };
    },
  );
  app.registerTool("plain", {}, () => ({ content: [] }));
  app.registerTool("failing", { outputSchema: z.object({}) }, async () => ({ content: [], isError: true }));
  tool.disable();
  tool.enable();
  tool.update({ title: "Other", description: undefined });
  tool.remove();
  void (tool.enabled === false);

  const answer = await app.request({ method: "x/own", params: { a: 1 } }, z.object({ b: z.number() }));
  answer.b.toFixed();
  await app.request({ method: "ping" });
  await app.notification({ method: "notifications/x/own", params: { a: 1 } });
  app.setRequestHandler("x/own", { params: z.object({ a: z.number() }) }, ({ a }) => ({ b: a }));
  app.setNotificationHandler(
    "notifications/x/own",
    { params: z.object({ a: z.number() }) },
    ({ a }) => void a,
  );
  app.setNotificationHandler("notifications/tools/list_changed", () => {});
  app.setNotificationHandler("notifications/resources/updated", ({ params }) => void params.uri);
  const legacy = z.object({ method: z.literal("x/legacy"), params: z.object({ a: z.number() }) });
  app.setRequestHandler(legacy, ({ params }, extra) => ({
    b: params.a,
    id: extra.requestId,
    is: extra.signal,
  }));
  app.setNotificationHandler(legacy, ({ params }) => void params.a.toFixed());
  app.removeRequestHandler("x/own");
  app.removeNotificationHandler("notifications/x/own");
  await app.close();
  // #endregion
}

export async function onOurs(module: typeof ours): Promise<void> {
  const { App, PostMessageTransport } = module;
  const { applyDocumentTheme, applyHostStyleVariables, applyHostFonts, getDocumentTheme } = module;
  // #region calls

  const app = new App(
    { name: "sample", version: "1.0.0", title: "Sample" },
    { tools: { listChanged: true }, availableDisplayModes: ["inline", "pip"], experimental: {} },
    { autoResize: true, strict: true, allowUnsafeEval: false },
  );
  new App({ name: "sample", version: "1.0.0" });

  app.ontoolinput = ({ arguments: args }) => args?.city;
  app.ontoolinputpartial = (params) => {
    const city: unknown = params.arguments?.city;
    return void city;
  };
  app.ontoolresult = ({ content, structuredContent, isError, _meta }) => {
    const [block] = content;
    if (block?.type === "text") block.text.trim();
    if (block?.type === "resource_link") block.uri.trim();
    void [structuredContent, isError === true, _meta?.own];
  };
  app.ontoolresult = undefined;
  app.ontoolcancelled = ({ reason }) => reason?.trim();
  app.onhostcontextchanged = ({ theme, styles, displayMode, containerDimensions, locale, toolInfo }) => {
    if (theme) applyDocumentTheme(theme);
    if (styles?.variables) applyHostStyleVariables(styles.variables);
    if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
    void [displayMode === "fullscreen", containerDimensions, locale?.trim(), toolInfo?.tool.name];
  };
  app.onteardown = async () => ({});
  app.onerror = (error) => error.message;
  app.onclose = () => {};
  app.oncalltool = async ({ name, arguments: args }) => ({
    content: [{ type: "text", text: name }],
    structuredContent: { ...args },
  });
  app.onlisttools = async () => ({ tools: [{ name: "own", inputSchema: { type: "object" } }] });

  const listener = ({ arguments: args }: { arguments?: Record<string, unknown> | undefined }) => void args;
  app.addEventListener("toolinput", listener);
  app.removeEventListener("toolinput", listener);

  await app.connect();
  await app.connect(new PostMessageTransport(window.parent, window.parent));
  await app.connect(undefined, { timeout: 1_000 });
  app.getHostContext()?.theme === getDocumentTheme();
  app.getHostCapabilities()?.serverTools?.listChanged;
  app.getHostVersion()?.name.trim();

  const { signal } = new AbortController();
  const result = await app.callServerTool(
    { name: "search", arguments: { q: "a" }, _meta: { own: 1 } },
    {
      signal,
      timeout: 5_000,
      onprogress: ({ progress, total, message }) => void [progress + (total ?? 0), message?.trim()],
      resetTimeoutOnProgress: true,
      maxTotalTimeout: 60_000,
    },
  );
  result.content.map((block) => (block.type === "image" ? block.mimeType : ""));
  const { contents } = await app.readServerResource({ uri: "demo://one" }, { signal });
  contents.map((item) => ("text" in item ? item.text : item.blob));
  const { resources, nextCursor } = await app.listServerResources({ cursor: "next" });
  resources.map(({ uri, name, mimeType }) => [uri, name, mimeType, nextCursor]);
  await app.listServerResources();
  const sampled = await app.createSamplingMessage({
    messages: [{ role: "user", content: { type: "text", text: "hi" } }],
    systemPrompt: "be brief",
    maxTokens: 10,
  });
  sampled.model.trim();

  const { isError } = await app.sendMessage(
    { role: "user", content: [{ type: "text", text: "hi" }] },
    { signal },
  );
  void (isError === true);
  await app.sendLog({ level: "info", logger: "sample", data: { any: "thing" } });
  await app.updateModelContext({ content: [{ type: "text", text: "hi" }], structuredContent: { page: 2 } });
  await app.openLink({ url: "https://example.com/" });
  await app.sendOpenLink({ url: "https://example.com/" });
  await app.downloadFile({
    contents: [
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "A" } },
      { type: "resource_link", uri: "https://example.com/b", name: "b" },
    ],
  });
  await app.requestTeardown();
  const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
  void (mode === "inline");
  await app.sendSizeChanged({ width: 1, height: 2 });
  app.setupSizeChangedNotifications()();
  await app.sendToolListChanged();

  const tool = app.registerTool(
    "own",
    {
      title: "Own",
      description: "A tool of the view",
      inputSchema: z.object({ n: z.number(), unit: z.string().optional() }),
      outputSchema: z.object({ doubled: z.number() }),
      annotations: { readOnlyHint: true, destructiveHint: false },
      _meta: { own: 1 },
    },
    async ({ n, unit }, { mcpReq }) => {
      mcpReq.signal.throwIfAborted();
      const id: string | number = mcpReq.id;
      return { content: [{ type: "text", text: `${unit}${id}` }], structuredContent: { doubled: 2 * n } };
    },
  );
  app.registerTool("plain", {}, () => ({ content: [] }));
  app.registerTool("failing", { outputSchema: z.object({}) }, async () => ({ content: [], isError: true }));
  tool.disable();
  tool.enable();
  tool.update({ title: "Other", description: undefined });
  tool.remove();
  void (tool.enabled === false);

  const answer = await app.request({ method: "x/own", params: { a: 1 } }, z.object({ b: z.number() }));
  answer.b.toFixed();
  await app.request({ method: "ping" });
  await app.notification({ method: "notifications/x/own", params: { a: 1 } });
  app.setRequestHandler("x/own", { params: z.object({ a: z.number() }) }, ({ a }) => ({ b: a }));
  app.setNotificationHandler(
    "notifications/x/own",
    { params: z.object({ a: z.number() }) },
    ({ a }) => void a,
  );
  app.setNotificationHandler("notifications/tools/list_changed", () => {});
  app.setNotificationHandler("notifications/resources/updated", ({ params }) => void params.uri);
  const legacy = z.object({ method: z.literal("x/legacy"), params: z.object({ a: z.number() }) });
  app.setRequestHandler(legacy, ({ params }, extra) => ({
    b: params.a,
    id: extra.requestId,
    is: extra.signal,
  }));
  app.setNotificationHandler(legacy, ({ params }) => void params.a.toFixed());
  app.removeRequestHandler("x/own");
  app.removeNotificationHandler("notifications/x/own");
  await app.close();
  // #endregion
}
