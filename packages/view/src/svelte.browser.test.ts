/** The Svelte adapter: the suite of all adapters, over a component of Svelte 5. */
import type { Plugin } from "esbuild";
import { compile } from "svelte/compiler";
import { describeAdapter } from "../../../testing/adapter-contract.js";
import { bundle } from "../../../testing/browser.js";

const COMPONENTS: Record<string, string> = {
  "Late.svelte": `
    <script>
      import { appContext, toolInput, toolInputPartial, toolResult } from "@vitrine/view/svelte";
      let { app } = $props();
      const json = (value) => (value === undefined ? "none" : JSON.stringify(value));
      const [result, input, partial, context] =
        [toolResult(app), toolInput(app), toolInputPartial(app), appContext(app)];
    </script>
    <p id="late-result">{json($result)}</p>
    <p id="late-input">{json($input)}</p>
    <p id="late-partial">{json($partial)}</p>
    <p id="late-theme">{$context?.theme}</p>
  `,
  "Panel.svelte": `
    <script>
      import { appContext, appState, createApp, displayMode, serverTool, toolInput, toolInputPartial,
        toolResult } from "@vitrine/view/svelte";
      import Late from "./Late.svelte";
      const json = (value) => (value === undefined ? "none" : JSON.stringify(value));
      const { app, isConnected, error } = createApp({ appInfo: { name: "panel", version: "1.0.0" } });
      const [input, partial, result] = [toolInput(app), toolInputPartial(app), toolResult(app)];
      const context = appContext(app);
      const mode = displayMode(app);
      const search = serverTool(app, "search");
      const count = appState(app, 0);
      let granted = $state("");
      let more = $state(false);
      const fullscreen = async () => (granted = (await app.requestDisplayMode({ mode: "fullscreen" })).mode);
    </script>
    <p id="status">{$error ? "error: " + $error.message : $isConnected ? "connected" : "connecting"}</p>
    <p id="input">{json($input)}</p>
    <p id="partial">{json($partial)}</p>
    <p id="result">{json($result)}</p>
    <p id="theme">{$context?.theme}</p>
    <p id="locale">{$context?.locale ?? "none"}</p>
    <p id="mode">{$mode}</p>
    <p id="modes">{$context?.availableDisplayModes?.join()}</p>
    <p id="granted">{granted}</p>
    <p id="tool">{$search.isPending ? "pending" : $search.error ? "error: " + $search.error.message
      : $search.result?.content[0].text ?? "idle"}</p>
    <p id="count">{$count}</p>
    <button id="fullscreen" onclick={fullscreen}>Fullscreen</button>
    <button id="call" onclick={() => search.call({ query: "tea" }).catch(() => {})}>Call</button>
    <button id="increment" onclick={() => ($count += 1)}>Increment</button>
    <button id="more" onclick={() => (more = true)}>More</button>
    {#if more}<Late {app} />{/if}
  `,
};

/** Compiles the components above. */
const svelte: Plugin = {
  name: "svelte",
  setup: ({ onResolve, onLoad, initialOptions }) => {
    const resolveDir = initialOptions.stdin?.resolveDir ?? "";
    onResolve({ filter: /\.svelte$/ }, ({ path }) => ({
      path: path.replace("./", ""),
      namespace: "component",
    }));
    onLoad({ filter: /./, namespace: "component" }, ({ path }) => ({
      contents: compile(COMPONENTS[path] ?? "", { filename: path, generate: "client" }).js.code,
      resolveDir,
    }));
  },
};

const ENTRY = `
  import { mount, unmount } from "svelte";
  import Panel from "./Panel.svelte";
  const panel = mount(Panel, { target: document.getElementById("root") });
  globalThis.unmount = () => unmount(panel);
`;

describeAdapter("@vitrine/view/svelte", async () => ({
  "/view": await bundle(ENTRY, { plugins: [svelte] }),
}));
