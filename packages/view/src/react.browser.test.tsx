/** The React adapter: the suite of all adapters, and React-specific behaviour. */
import type { Plugin } from "esbuild";
import { expect, it } from "vitest";
import { describeAdapter } from "../../../testing/adapter-contract.js";
import { bundle } from "../../../testing/browser.js";
import { shows } from "../../../testing/raw-host.js";

const PANEL = `
  import { StrictMode, useEffect, useRef, useState } from "react";
  import { createRoot } from "react-dom/client";
  import { useApp, useAppState, useDisplayMode, useHostContext, useServerTool, useToolInput,
    useToolInputPartial, useToolResult, useAutoResize, useDocumentTheme, useHostStyles } from "@vitrine/view/react";

  const json = (value) => (value === undefined ? "none" : JSON.stringify(value));

  function Late({ app }) {
    const [result, input, partial] = [useToolResult(app), useToolInput(app), useToolInputPartial(app)];
    const context = useHostContext(app);
    return <>
      <p id="late-result">{json(result)}</p>
      <p id="late-input">{json(input)}</p>
      <p id="late-partial">{json(partial)}</p>
      <p id="late-theme">{context?.theme}</p>
    </>;
  }

  export function Panel() {
    const { app, isConnected, error } = useApp({
      appInfo: { name: "panel", version: "1.0.0" },
      onAppCreated: () => (globalThis.created = (globalThis.created ?? 0) + 1),
    });
    const [input, partial, result] = [useToolInput(app), useToolInputPartial(app), useToolResult(app)];
    const context = useHostContext(app);
    const display = useDisplayMode(app);
    const search = useServerTool(app, "search");
    const [count, setCount] = useAppState(app, 0);
    const [granted, setGranted] = useState("");
    const [more, setMore] = useState(false);
    return <>
      <p id="status">{error ? "error: " + error.message : isConnected ? "connected" : "connecting"}</p>
      <p id="input">{json(input)}</p>
      <p id="partial">{json(partial)}</p>
      <p id="result">{json(result)}</p>
      <p id="theme">{context?.theme}</p>
      <p id="locale">{context?.locale ?? "none"}</p>
      <p id="mode">{display.mode}</p>
      <p id="modes">{display.available.join()}</p>
      <p id="granted">{granted}</p>
      <p id="tool">{search.isPending ? "pending" : search.error ? "error: " + search.error.message
        : search.result?.content[0].text ?? "idle"}</p>
      <p id="count">{count}</p>
      <button id="fullscreen" onClick={async () => setGranted(await display.request("fullscreen"))} />
      <button id="call" onClick={() => search.call({ query: "tea" }).catch(() => {})} />
      <button id="increment" onClick={() => setCount(count + 1)} />
      <button id="more" onClick={() => setMore(true)} />
      {more && <Late app={app} />}
    </>;
  }

  const INITIAL = { initial: true };
  /** An object as state, and an effect that depends on it. */
  export function Settings() {
    const { app, isConnected } = useApp({ appInfo: { name: "settings", version: "1.0.0" } });
    const [settings, setSettings] = useAppState(app, INITIAL);
    const runs = useRef(0);
    const [, render] = useState(0);
    useEffect(() => void (runs.current += 1), [settings]);
    return <>
      <p id="status">{isConnected ? "connected" : "connecting"}</p>
      <p id="settings">{json(settings)}</p>
      <button id="early" onClick={() => setSettings({ early: true })} />
      <button id="null" onClick={() => setSettings(null)} />
      <button id="render" onClick={() => render((n) => n + 1)} />
      <button id="runs" onClick={(event) => (event.target.textContent = runs.current)} />
    </>;
  }

  /** Styles and size through hooks. */
  export function Manual() {
    const { app } = useApp({ appInfo: { name: "manual", version: "1.0.0" }, autoTheme: false, autoResize: false });
    const [styled, setStyled] = useState(false);
    const theme = useDocumentTheme();
    useAutoResize(styled ? app : null);
    useHostStyles(styled ? app : null);
    return <>
      <p id="theme">{theme}</p>
      <button id="style" onClick={() => setStyled(true)} />
    </>;
  }
`;
const mounted = (element: string): string => `${PANEL}
  const root = createRoot(document.getElementById("root"));
  root.render(${element});
  globalThis.unmount = () => root.unmount();
`;
/** StrictMode mounts twice only in React's development build. */
const development: Plugin = {
  name: "development",
  setup: ({ initialOptions }) => {
    initialOptions.define = { "process.env.NODE_ENV": '"development"' };
  },
};

const scripts = async (): Promise<Record<string, string>> => ({
  "/view": await bundle(mounted("<Panel />"), { loader: "tsx" }),
  "/settings": await bundle(mounted("<Settings />"), { loader: "tsx" }),
  "/manual": await bundle(mounted("<Manual />"), { loader: "tsx" }),
  "/strict": await bundle(mounted("<StrictMode><Panel /></StrictMode>"), {
    loader: "tsx",
    plugins: [development],
  }),
});

describeAdapter("@vitrine/view/react", scripts, ({ open }) => {
  it("ends up with one live connection under StrictMode", async () => {
    const { host, view } = await open({ path: "/strict" });
    await shows(view, "status", "connected");
    expect(await view.evaluate(() => (globalThis as unknown as { created: number }).created)).toBe(2);
    expect(await host.received("ui/initialize")).toHaveLength(1);
    // With two live apps, both would answer the first request before either answers the second.
    const { id } = await host.request("ping");
    await host.request("ping");
    expect((await host.received()).filter((message) => message.id === id)).toHaveLength(1);
    await view.evaluate(() => (globalThis as unknown as { unmount(): void }).unmount());
    await shows(view, "root", "");
  });

  it("keeps a value set before the app existed, as the same object from render to render", async () => {
    const context = { "vitrine/instance": "settings" };
    const { host, view, click } = await open({
      path: "/settings",
      sameSite: true,
      context,
      answers: { "ui/initialize": "hold" },
    });
    await shows(view, "settings", '{"initial":true}');
    await click("early");
    await shows(view, "settings", '{"early":true}');
    const result = {
      protocolVersion: "2026-01-26",
      hostInfo: {},
      hostCapabilities: {},
      hostContext: context,
    };
    await host.answer("ui/initialize", { result });
    await shows(view, "status", "connected");
    await host.reload();
    await shows(view, "settings", '{"early":true}');
    await click("runs");
    const runs = await view.textContent("#runs");
    await click("render");
    await click("render");
    await click("runs");
    await shows(view, "runs", runs ?? "");
  });

  it("applies styles and reports the size through hooks, when both are switched off", async () => {
    const { host, view, click } = await open({ path: "/manual" });
    await shows(view, "theme", "light"); // The document's, not the host's.
    await host.request("ping");
    const theme = () => view.evaluate(() => document.documentElement.dataset.theme);
    expect([await theme(), await host.received("ui/notifications/size-changed")]).toEqual([undefined, []]);
    await click("style");
    await host.waitFor("ui/notifications/size-changed");
    expect(await theme()).toBe("dark");
    await shows(view, "theme", "dark");
    await host.notify("ui/notifications/host-context-changed", { theme: "light" });
    await shows(view, "theme", "light");
    await expect.poll(theme).toBe("light");
  });

  it("keeps null as a value", async () => {
    const context = { "vitrine/instance": "null" };
    const { host, view, click } = await open({ path: "/settings", sameSite: true, context });
    await shows(view, "status", "connected");
    await click("null");
    await shows(view, "settings", "null");
    await host.reload();
    await shows(view, "status", "connected");
    await shows(view, "settings", "null");
  });
});
