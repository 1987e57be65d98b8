/** The document follows its host's look, in a browser, under a third-party host. */
import type { Frame } from "playwright-core";
import { describe, expect, it } from "vitest";
import { appPage } from "../../../testing/app-page.js";
import type { App } from "./app.js";

declare const vitrine: typeof import("./index.js");
declare const app: App;

const page = appPage();
const change = async (context: object): Promise<void> => {
  await page.host.notify("ui/notifications/host-context-changed", context);
  await page.heard();
};
const variable = (view: Frame, name: string): Promise<string> =>
  view.evaluate((given) => document.documentElement.style.getPropertyValue(given), name);
const theme = (view: Frame): Promise<unknown> =>
  view.evaluate(() => {
    const { dataset, style } = document.documentElement;
    return [dataset.theme, style.colorScheme, vitrine.getDocumentTheme()];
  });
const fonts = (view: Frame): Promise<unknown> =>
  view.evaluate(() => [...document.querySelectorAll("style")].map((style) => style.textContent));

describe("the host's look", () => {
  it("is applied when connect resolves: theme and color scheme (X03)", async () => {
    const view = await page.connect({ context: { theme: "dark" } });
    expect(await theme(view)).toEqual(["dark", "dark", "dark"]);
    await change({ theme: "light" });
    expect(await theme(view)).toEqual(["light", "light", "light"]);
    await change({ locale: "en" });
    expect(await theme(view)).toEqual(["light", "light", "light"]);
  });

  it("makes light-dark() follow the host", async () => {
    const view = await page.connect({ context: { theme: "dark" } });
    const color = () =>
      view.evaluate(() => {
        document.body.style.color = "light-dark(rgb(1, 1, 1), rgb(2, 2, 2))";
        return getComputedStyle(document.body).color;
      });
    expect(await color()).toBe("rgb(2, 2, 2)");
    await change({ theme: "light" });
    expect(await color()).toBe("rgb(1, 1, 1)");
  });

  it("sets and removes style variables", async () => {
    const name = "--color-background-primary";
    const view = await page.connect({ context: { styles: { variables: { [name]: "red" } } } });
    expect(await variable(view, name)).toBe("red");
    await change({ styles: { variables: { [name]: "blue" } } });
    expect(await variable(view, name)).toBe("blue");
    await change({ styles: { variables: { [name]: undefined } } });
    expect(await variable(view, name)).toBe("");
    await change({ styles: { variables: { [name]: "blue" } } });
    await change({ styles: { variables: { [name]: null } } });
    expect(await variable(view, name)).toBe("");
  });

  it("inserts fonts once and replaces them on change", async () => {
    const view = await page.connect({ context: { styles: { css: { fonts: "@font-face { a: b }" } } } });
    expect(await fonts(view)).toEqual(["@font-face { a: b }"]);
    await change({ styles: { css: { fonts: "@font-face { c: d }" } } });
    expect(await fonts(view)).toEqual(["@font-face { c: d }"]);
    await change({ styles: { css: {} } });
    expect(await fonts(view)).toEqual([""]);
  });

  it("sets safe areas as variables in pixels", async () => {
    const insets = { top: 1, right: 2, bottom: 3, left: 4 };
    const view = await page.connect({ context: { safeAreaInsets: insets } });
    for (const [side, pixels] of Object.entries(insets)) {
      expect(await variable(view, `--safe-area-inset-${side}`)).toBe(`${pixels}px`);
    }
    await change({ safeAreaInsets: { ...insets, top: 50 } });
    expect(await variable(view, "--safe-area-inset-top")).toBe("50px");
  });

  it("leaves the document alone with autoTheme off; the context is still available", async () => {
    const looks = {
      theme: "dark",
      styles: { variables: { "--color-text-primary": "red" }, css: { fonts: "@font-face {}" } },
      safeAreaInsets: { top: 1, right: 1, bottom: 1, left: 1 },
    };
    const view = await page.open({ context: looks });
    const documentNow = () =>
      view.evaluate(() => {
        const root = document.documentElement.cloneNode(true) as Element;
        for (const script of root.querySelectorAll("script")) script.remove();
        return root.outerHTML;
      });
    const before = await documentNow();
    await view.evaluate(async () => {
      const options = { autoTheme: false, autoResize: false };
      Object.assign(globalThis, { app: new vitrine.App({ name: "a", version: "1" }, {}, options) });
      await app.connect();
    });
    await change({ ...looks, theme: "light" });
    expect(await documentNow()).toBe(before);
    expect(await view.evaluate(() => app.getHostContext()?.theme)).toBe("light");
  });
});

describe("by hand", () => {
  it("the class `dark` also makes the document's theme dark", async () => {
    const view = await page.open();
    expect(await theme(view)).toEqual([undefined, "", "light"]);
    await view.evaluate(() => document.documentElement.classList.add("dark"));
    expect(await theme(view)).toEqual([undefined, "", "dark"]);
  });

  it("variables apply to any element", async () => {
    const view = await page.open();
    const value = await view.evaluate(() => {
      vitrine.applyHostStyleVariables({ "--color-text-primary": "red" }, document.body);
      return document.body.style.getPropertyValue("--color-text-primary");
    });
    expect(value).toBe("red");
    expect(await variable(view, "--color-text-primary")).toBe("");
  });
});
