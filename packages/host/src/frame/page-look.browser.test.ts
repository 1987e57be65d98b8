/** The frame follows its page: its language, its look, and the parts that it replaces. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { HostApi } from "../../../../testing/host/host-page.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";
import { hostStyles } from "../host-styles.ts";

declare const host: HostApi;
declare const raw: RawView & { told: ReturnType<RawView["start"]> };

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("plain", { html: rawView() });
  await stage.serve("asks", { html: rawView("raw.told = start();") });
  await stage.serve("silent", { html: rawView("") });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.freshPage();
});

const FAILING = { options: { limits: { initialize: 500 } }, result: { content: [] }, input: {} };
const failed = (id: string): Promise<unknown> => page.evaluate((app) => host.log.until(`${app} failed`), id);
/** Styles the page; its policy allows no style element. */
const style = (css: string): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }, css);
const part = (id: string, name: string) => page.locator(`#${id} [part~=${name}]`);

it("speaks the page's language: frame, failure and question, each marked for screen readers", async () => {
  await page.evaluate(() => host.speak("de-CH"));
  const view = await stage.mount(page, "plain");
  expect(await part("plain", "close").textContent()).toBe("Schließen");
  expect(await part("plain", "box").getAttribute("lang")).toBe("de");
  // The question stays open until the test ends, and the frame with it.
  void view.evaluate(() => raw.ask("ui/open-link", { url: "https://example.com/a" })).catch(() => {});
  const prompt = page.getByRole("alertdialog", { name: "plain fragt" });
  await prompt.waitFor();
  expect(await prompt.getAttribute("lang")).toBe("de");
  expect(await prompt.locator("p").first().textContent()).toBe(
    "Die App möchte eine Seite außerhalb dieser Unterhaltung öffnen.",
  );
  expect(await prompt.getByRole("button").allTextContents()).toEqual([
    "Ablehnen",
    "Einmal erlauben",
    "Immer erlauben: Links zu example.com",
  ]);
  await page.evaluate((options) => host.mount("silent", options), FAILING);
  // The code is for programs, in every language.
  expect(await failed("silent")).toMatchObject({
    code: "handshake-timeout",
    message: "Diese App ist nicht rechtzeitig gestartet.",
  });
  expect(await part("silent", "failure").getByRole("button").textContent()).toBe("Erneut versuchen");
});

it("a failure links to its codes in the documentation", async () => {
  await page.evaluate((options) => host.mount("silent", options), FAILING);
  const { code, help } = (await failed("silent")) as { code: string; help: string };
  const [address, anchor] = help.split("#");
  const file = new URL(`../../../../${address?.split("/blob/main/")[1]}`, import.meta.url);
  const [, section] = readFileSync(file, "utf8").split(new RegExp(`^## ${anchor}$`, "im"));
  expect(section?.split("\n## ")[0]).toContain(`| \`${code}\``);
});

it("without a language speaks English, and leaves the direction to the page", async () => {
  await stage.mount(page, "plain");
  expect(await part("plain", "close").textContent()).toBe("Close");
  expect(await part("plain", "box").getAttribute("dir")).toBe("");
});

it("draws a language that is written from right to left from the right", async () => {
  await page.evaluate(() => host.speak("rtl"));
  const view = await stage.mount(page, "plain");
  await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }));
  const [box, close, server] = await Promise.all(
    ["box", "close", "server"].map((name) => part("plain", name).boundingBox()),
  );
  // The app is in the corner where its language ends: bottom left, its header mirrored.
  expect(box?.x).toBe(8);
  expect(close?.x).toBeLessThan(server?.x ?? 0);
});

it("I07: an app in the corner leaves its place in the page as it was, with a way back", async () => {
  const view = await stage.mount(page, "plain", { id: "first" });
  await stage.mount(page, "plain", { id: "second" });
  const below = async (): Promise<number> =>
    Math.round((await page.locator("#second").boundingBox())?.y ?? -1);
  await expect.poll(async () => (await page.locator("#first").boundingBox())?.height).toBeGreaterThan(50);
  const before = await below();
  await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }));
  const gap = part("first", "gap");
  // By way of fullscreen, too.
  await page.evaluate(() => {
    host.app("first").frame?.setDisplayMode("fullscreen");
    host.app("first").frame?.setDisplayMode("pip");
  });
  expect(await gap.textContent()).toContain("in the corner of the window");
  expect(await below()).toBe(before);
  await gap.getByRole("button", { name: "Show it here" }).click();
  expect(await page.evaluate(() => host.app("first").bridge?.context.displayMode)).toBe("inline");
  expect(await gap.isVisible()).toBe(false);
  expect(await below()).toBe(before);
});

it("X01: tells the app the page's own variables, font and theme, and follows when the page changes them", async () => {
  await style(`body { font-family: Georgia, serif; color-scheme: light }
      :root { --brand: #123456; --color-background-primary: var(--brand) }
      .night { --brand: #000011 } .night body { color-scheme: dark }`);
  const view = await stage.mount(page, "asks", { looksLikePage: true });
  const { hostContext } = await view.evaluate(() => raw.told);
  expect(hostContext).toMatchObject({ theme: "light" });
  expect(hostContext?.styles).toEqual({
    variables: { "--font-sans": "Georgia, serif", "--color-background-primary": "#123456" },
  });
  await page.evaluate(() => document.documentElement.classList.add("night"));
  await view.waitForFunction(() => raw.heard.some(({ params }) => params["theme"] === "dark"));
  const { params } = (await view.evaluate(() => raw.heard.find((each) => each.params["theme"]))) ?? {};
  expect(params).toMatchObject({ styles: { variables: { "--color-background-primary": "#000011" } } });
});

it("X01: a page without a look of its own passes none, and a host's own look wins", async () => {
  const plain = await stage.mount(page, "asks", { looksLikePage: true });
  expect((await plain.evaluate(() => raw.told)).hostContext).not.toHaveProperty("styles");
  await style("body { font-family: Georgia }");
  const own = { styles: hostStyles({ variables: { "--font-sans": "Verdana" } }) };
  const view = await stage.mount(page, "asks", { id: "own", context: own });
  expect((await view.evaluate(() => raw.told)).hostContext).toMatchObject(own);
});

it("the page replaces the close button's text and the failure panel", async () => {
  const inner = `<span slot="close">✕</span><p slot="failure">Ask the help desk.</p>`;
  await page.evaluate((options) => host.mount("silent", options), { ...FAILING, inner });
  await failed("silent");
  await page.getByText("Ask the help desk.").waitFor();
  expect(await page.getByText("did not start in time").isVisible()).toBe(false);
  const view = await stage.mount(page, "plain", { inner });
  await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }));
  await page.locator("#plain").getByRole("button", { name: "✕" }).click();
  expect(await page.evaluate(() => host.app("plain").bridge?.context.displayMode)).toBe("inline");
});
