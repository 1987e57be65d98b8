/** Chats in Vue and Svelte, built as their own tools build them: `<mcp-app>` needs no adapter. */
import { fileURLToPath } from "node:url";
import { svelte, vitePreprocess } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import type { Browser } from "playwright-core";
import { build, type PluginOption } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import { startChat, viewIn } from "./stage.js";

const PLUGINS: Record<string, () => PluginOption> = {
  vue: () => vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.includes("-") } } }),
  svelte: () => svelte({ configFile: false, preprocess: vitePreprocess() }),
};

async function bundle(name: string, plugin: PluginOption): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [plugin],
    build: {
      write: false,
      target: "es2022",
      rollupOptions: { input: fileURLToPath(new URL(`${name}/page.js`, import.meta.url)) },
    },
  });
  const { output } = [built].flat()[0] as { output: { type: string; code?: string }[] };
  if (output.length !== 1) throw new Error(`${output.length} files`);
  return output[0]?.code ?? "";
}

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => browser?.close());

describe.each(Object.entries(PLUGINS))("%s", (name, plugin) => {
  it("an app gets input and result once, reports its state, and ends when its call is removed", async () => {
    const { page, called } = await startChat(browser, await bundle(name, plugin()));
    await page.getByRole("button", { name: "Use show" }).click();
    const heard = (index: number) => viewIn(page, index).locator("li").allTextContents();
    const expected = ['tool-input {"city":"Rome"}', 'tool-result {"city":"Rome","degrees":21}'];
    await expect.poll(() => heard(0)).toEqual(expected);
    await page.getByText("show: ready").waitFor();
    await page.getByRole("button", { name: "Use show" }).click();
    await expect.poll(() => heard(1)).toEqual(expected);
    await page.locator("section").first().getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => page.locator("mcp-app").count()).toBe(1);
    // The other app was neither moved nor sent anything again.
    expect(await heard(0)).toEqual(expected);
    expect(called).toHaveBeenCalledTimes(2);
  });

  it("an app is told that its call failed, and another call goes on", async () => {
    const { page, disconnect } = await startChat(browser, await bundle(name, plugin()));
    const heard = (index: number) => viewIn(page, index).locator("li").allTextContents();
    await page.getByRole("button", { name: "Use show" }).click();
    await expect.poll(async () => (await heard(0)).join()).toContain("tool-result");
    await disconnect();
    await page.getByRole("button", { name: "Use show" }).click();
    await expect
      .poll(() => heard(1))
      .toEqual(['tool-input {"city":"Rome"}', expect.stringMatching(/^tool-cancelled "Error: /)]);
    expect((await heard(0)).join()).not.toContain("tool-cancelled");
  });
});
