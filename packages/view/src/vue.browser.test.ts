/** The Vue adapter: the suite of all adapters, and Vue-specific behaviour. */
import { expect, it } from "vitest";
import { describeAdapter } from "../../../testing/adapter-contract.js";
import { bundle } from "../../../testing/browser.js";
import { shows } from "../../../testing/raw-host.js";

const PANEL = `
  import { createApp, defineComponent, h, reactive, ref } from "vue";
  import { useApp, useAppState, useDisplayMode, useHostContext, useServerTool, useToolInput,
    useToolInputPartial, useToolResult } from "@vitrine/view/vue";

  const json = (value) => (value === undefined ? "none" : JSON.stringify(value));
  const p = (id, text) => h("p", { id }, text);
  const button = (id, onClick) => h("button", { id, onClick });

  const Late = defineComponent({
    props: ["app"],
    setup({ app }) {
      const [result, input, partial] = [useToolResult(app), useToolInput(app), useToolInputPartial(app)];
      const context = useHostContext(app);
      return () => [
        p("late-result", json(result.value)),
        p("late-input", json(input.value)),
        p("late-partial", json(partial.value)),
        p("late-theme", context.value?.theme),
      ];
    },
  });

  const Panel = defineComponent(() => {
    const { app, isConnected, error } = useApp({ appInfo: { name: "panel", version: "1.0.0" } });
    const [input, partial, result] = [useToolInput(app), useToolInputPartial(app), useToolResult(app)];
    const context = useHostContext(app);
    const display = useDisplayMode(app);
    const search = useServerTool(app, "search");
    const count = useAppState(app, 0);
    const [granted, more] = [ref(""), ref(false)];
    // As in a store: the app must work as a property of a reactive object.
    const held = reactive({ app });
    return () => [
      p("status", error.value ? "error: " + error.value.message : isConnected.value ? "connected" : "connecting"),
      p("input", json(input.value)),
      p("partial", json(partial.value)),
      p("result", json(result.value)),
      p("theme", context.value?.theme),
      p("locale", context.value?.locale ?? "none"),
      p("mode", display.mode.value),
      p("modes", display.available.value.join()),
      p("granted", granted.value),
      p("tool", search.isPending.value ? "pending"
        : search.error.value ? "error: " + search.error.value.message
        : search.result.value?.content[0].text ?? "idle"),
      p("count", count.value),
      button("fullscreen", async () => (granted.value = await display.request("fullscreen"))),
      button("call", () => search.call({ query: "tea" }).catch(() => {})),
      button("increment", () => count.value++),
      button("more", () => (more.value = true)),
      button("reactive", (event) => (event.target.textContent = held.app.getHostVersion().name)),
      more.value ? h(Late, { app }) : null,
    ];
  });

  const vue = createApp(Panel);
  vue.mount("#root");
  globalThis.unmount = () => vue.unmount();
`;

describeAdapter(
  "@vitrine/view/vue",
  async () => ({ "/view": await bundle(PANEL) }),
  ({ open }) => {
    it("works as a property of a reactive object", async () => {
      const { view, click } = await open();
      await shows(view, "status", "connected");
      await click("reactive");
      await shows(view, "reactive", "raw-host");
    });

    it("needs no eval", async () => {
      const code = await bundle(PANEL);
      expect(code).not.toMatch(/\bnew Function\b|\beval\(/);
    });
  },
);
