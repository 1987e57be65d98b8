/** Questions to the user, drawn above an app by the page (attack C21). */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { HostApi } from "../../../../testing/host/host-page.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";
import type { FrameQuestion } from "./prompt.ts";

declare const host: HostApi;
declare const raw: RawView;
declare const drawn: typeof import("./prompt.ts");

let stage: HostStage;
let page: Page;
let view: Frame;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("weather", { html: rawView() });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.openPage();
  view = await stage.mount(page, "weather");
});
afterEach(() => page.close());

const ask = (url = "https://example.com/a?b=c"): Promise<unknown> =>
  view
    .evaluate(
      (link) => raw.ask("ui/open-link", { url: link }).catch(({ code, data }) => ({ code, data })),
      url,
    )
    // The test is over, and the page is closed with it.
    .catch(() => "gone");
const prompt = () => page.getByRole("alertdialog");
const button = (name: string) => prompt().getByRole("button", { name, exact: true });
/** Clicks until the question is answered. */
const answer = async (name: string): Promise<void> => {
  await expect
    .poll(async () => {
      await button(name)
        .click({ timeout: 1000 })
        .catch(() => {});
      return prompt().count();
    })
    .toBe(0);
};
const DENIED = { code: -32000, data: expect.objectContaining({ code: "denied" }) };

it("I04, attack A42: a question names the server and shows the whole address", async () => {
  const asked = ask("https://xn--80ak6aa92e.com/path?secret=1");
  await prompt().waitFor();
  const text = await prompt().textContent();
  expect(text).toContain("weather");
  expect(text).toContain("xn--80ak6aa92e.com");
  expect(text).toContain("https://xn--80ak6aa92e.com/path?secret=1");
  await answer("Deny");
  expect(await asked).toEqual(DENIED);
});

it("attack C21: text that does not fit is marked as cut, and other text is not", async () => {
  const hint = prompt().getByText("Scroll to read everything.");
  void ask();
  await prompt().waitFor();
  expect(await hint.isVisible()).toBe(false);
  await answer("Deny");
  await page.setViewportSize({ width: 400, height: 400 });
  void ask(`https://example.com/${"long/".repeat(300)}`);
  // There is no room beside the app.
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await prompt().waitFor();
  await expect.poll(() => hint.isVisible()).toBe(true);
});

it("is where the user is looking, however tall the app is", async () => {
  await view.evaluate(() => raw.tell("ui/notifications/size-changed", { height: 4000 }));
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(4000);
  await page.evaluate(() => scrollTo(0, 2000));
  const asked = ask();
  // The app is everywhere, so a question would appear under the pointer: a button leads to it instead (attack
  // E02).
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  // It accepts a press only while it is visible and nothing covers it.
  await expect.poll(() => button("Allow once").getAttribute("aria-disabled")).toBe("false");
  await button("Allow once").click();
  expect(await asked).toEqual({});
  expect(await page.evaluate(() => scrollY)).toBe(2000);
});

it("D07: the heading names the server and its app", async () => {
  view = await stage.mount(page, "weather", { id: "titled", title: "Weather\u202e forecast" });
  void ask();
  const text = "weather asks · Weather%E2%80%AE forecast";
  expect(await page.getByRole("alertdialog", { name: text }).locator("strong").textContent()).toBe(text);
});

it("allowed once, it is done once, and asked again the next time", async () => {
  const asked = ask();
  await prompt().waitFor();
  await answer("Allow once");
  expect(await asked).toEqual({});
  expect(await page.evaluate(() => host.log.values("open-link"))).toEqual([
    { id: "weather", url: "https://example.com/a?b=c" },
  ]);
  void ask();
  await prompt().waitFor();
});

it("always allowed, it is not asked again", async () => {
  const asked = ask();
  await prompt().waitFor();
  await button("Always allow example.com").click();
  await answer("Yes, always allow example.com");
  expect(await asked).toEqual({});
  expect(await ask()).toEqual({});
});

it("attack C21: a click that came too soon, or by script, does not agree", async () => {
  const asked = ask();
  await prompt().waitFor();
  await page.evaluate(() => {
    for (const each of host
      .app("weather")
      .shadowRoot?.querySelectorAll<HTMLElement>("[part~=prompt] button") ?? [])
      each.click();
  });
  expect(await prompt().count()).toBe(1);
  expect(await page.evaluate(() => host.log.values("open-link"))).toEqual([]);
  await answer("Deny");
  expect(await asked).toEqual(DENIED);
});

it("attack C21: the approving buttons are drawn as disabled until they count; the refusal counts at once", async () => {
  // A stopped clock: however slow the machine, this is too soon.
  await page.evaluate(() => {
    const now = performance.now();
    performance.now = () => now;
  });
  const asked = ask();
  await prompt().waitFor();
  const yes = [button("Allow once"), button("Always allow example.com")];
  for (const each of yes) {
    expect(await each.getAttribute("aria-disabled")).toBe("true");
    expect(await each.evaluate((shown) => getComputedStyle(shown).opacity)).toBe("0.5");
    await each.click({ force: true });
  }
  expect(await page.evaluate(() => host.log.values("open-link"))).toEqual([]);
  expect(await button("Deny").getAttribute("aria-disabled")).toBeNull();
  await button("Deny").click();
  await prompt().waitFor({ state: "detached" });
  expect(await asked).toEqual(DENIED);
  // The control: when time passes, the buttons become active, and look so; one click is enough.
  await page.evaluate(() => Reflect.deleteProperty(performance, "now"));
  const again = ask();
  await expect.poll(() => button("Allow once").getAttribute("aria-disabled")).toBe("false");
  expect(await button("Allow once").evaluate((shown) => getComputedStyle(shown).opacity)).toBe("1");
  await button("Allow once").click();
  expect(await again).toEqual({});
});

it("attack C21: it takes no focus, so that nothing typed into the app answers it", async () => {
  await view.locator("p").click();
  void ask();
  await prompt().waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  expect(await prompt().count()).toBe(1);
});

it("is withdrawn when the app cancels its request or is removed", async () => {
  void ask();
  await prompt().waitFor();
  await page.evaluate(() => host.app("weather").close());
  await prompt().waitFor({ state: "detached" });
});

/** Draws a question without an app; returns the texts of its lines, or of its buttons. */
async function draw(words: Partial<FrameQuestion>, of = "p,pre"): Promise<string[]> {
  const entry = fileURLToPath(new URL("prompt.ts", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "iife",
    globalName: "drawn",
    write: false,
  });
  await page.evaluate(`${outputFiles[0]?.text}; globalThis.drawn = drawn`);
  const question = {
    view: "v",
    server: "s",
    reason: "r",
    method: "tools/call",
    title: "",
    subject: "",
    params: {},
    ...words,
  };
  return page.evaluate(
    ([asked, selector]) => {
      const place = document.body.appendChild(document.createElement("div"));
      void drawn.prompt(place, asked, new AbortController().signal);
      return [...place.querySelectorAll(selector)].map(({ textContent }) => `${textContent}`);
    },
    [question, of] as const,
  );
}

it("shows its subject as text: a link's URL, the text of a message, the names of files, otherwise JSON", async () => {
  const shown = async (words: Partial<FrameQuestion>): Promise<string | undefined> =>
    (await draw(words, "pre"))[0];
  const url = "https://example.com/?a=1";
  expect(await shown({ method: "ui/open-link", params: { url, content: [] } })).toBe(url);
  const image = { type: "image", data: "AA==", mimeType: "image/png", text: "nothing" };
  const content = [{ type: "text", text: 'Buy "it"\nnow' }, image];
  const message = await shown({ method: "ui/message", params: { role: "user", content, url } });
  // Non-text content is not hidden behind text.
  expect(message).toBe(`Buy "it"\nnow\n${JSON.stringify(image, null, 1)}`);
  expect(await shown({ method: "ui/message", params: { content: "none" } })).toBe("");
  expect(await shown({ method: "ui/download-file", files: ["a.txt", "b.txt"] })).toBe("a.txt\nb.txt");
  // An app that calls a tool cannot put other text before its arguments.
  const params = { name: "pay", arguments: { sum: 9 }, url, content };
  expect(await shown({ params })).toBe(JSON.stringify(params, null, 1));
});

it("a button states what a remembered approval covers", async () => {
  const buttons = (words: Partial<FrameQuestion>): Promise<string[]> => draw(words, "button");
  const scope = "all ordinary tools of s\u202e";
  expect(await buttons({ subject: "pay", scope, remember: ["session", "always"] })).toEqual([
    "Deny",
    "Allow once",
    "Allow all ordinary tools of s%E2%80%AE for this session",
    "Always allow all ordinary tools of s%E2%80%AE",
  ]);
  expect(await buttons({ subject: "pay", remember: [] })).toEqual(["Deny", "Allow once"]);
  expect(await buttons({ subject: "pay" })).toContain("Always allow pay");
  expect(await buttons({ method: "ui/message" })).toContain("Always allow s");
});

it("says who wants what, and explains the scope of the buttons after that", async () => {
  const lines = await draw({
    reason: "The app wants to use a tool.",
    title: "Pay",
    subject: "pay",
    scope: "all ordinary tools of s",
    scopeNote: "Ordinary tools are all but destructive ones.",
  });
  expect(lines.filter(Boolean)).toEqual([
    "The app wants to use a tool.",
    "Pay (pay)",
    "{}",
    "Ordinary tools are all but destructive ones.",
    "Scroll to read everything.",
  ]);
});

/** Asks something long, and opens the question. */
async function open(): Promise<void> {
  void ask(`https://example.com/${"long/".repeat(300)}`);
  const wait = page.getByRole("button", { name: "Answer", exact: true });
  await wait.or(button("Deny")).waitFor();
  if (await wait.isVisible()) await wait.click();
  await button("Deny").waitFor();
}

/** Whether the user sees all of a button, and nothing is over it. */
const isInView = (name: string): Promise<boolean> =>
  button(name).evaluate((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    const [hit] = (each.getRootNode() as Document).elementsFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && hit === each;
  });

it.each([
  ["a phone", 320, 568],
  ["a phone on its side", 568, 320],
  ["a window at 400 %", 320, 256],
])("in %s, its buttons are in view, and the request scrolls", async (_what, width, height) => {
  await page.setViewportSize({ width, height });
  await open();
  await expect.poll(() => isInView("Deny")).toBe(true);
  expect(await isInView("Allow once")).toBe(true);
  await prompt().getByText("Scroll to read everything.").waitFor();
  // With the keyboard too.
  expect(
    await prompt()
      .locator("[part=request],[part=request] pre")
      .evaluateAll((all) =>
        all.some((each) => (each as HTMLElement).tabIndex === 0 && each.scrollHeight > each.clientHeight),
      ),
  ).toBe(true);
});

it("stays in the window when that becomes smaller while it is open", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open();
  const before = await prompt().boundingBox();
  for (const size of [
    { width: 320, height: 568 },
    { width: 640, height: 360 },
  ]) {
    await page.setViewportSize(size);
    await expect.poll(() => isInView("Deny")).toBe(true);
    expect(await isInView("Allow once")).toBe(true);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(() => prompt().boundingBox()).toEqual(before);
});

it("attack C21: invisible and reordering characters are shown escaped", async () => {
  const lines = await draw({
    title: "Show\u202e",
    subject: "sh\u200bow",
    params: { text: "\u202egpj.exe" },
  });
  expect(lines.slice(1, 3)).toEqual(["Show%E2%80%AE (sh%E2%80%8Bow)", '{\n "text": "%E2%80%AEgpj.exe"\n}']);
});

it("attack C21: long arguments are shown, and omissions are counted", async () => {
  const draft = { title: "Show", subject: "show" };
  const [, , whole, nothing] = await draw({ ...draft, params: { text: `${"x".repeat(50_000)}!` } });
  expect([whole?.slice(-5), nothing]).toEqual(['x!"\n}', ""]);
  const [, , cut, rest] = await draw({ ...draft, params: { text: "x".repeat(200_000) } });
  expect([cut?.length, rest]).toEqual([100_000, "100015 more characters"]);
});

it("attack C15: text of the app is text, not markup", async () => {
  void ask("https://example.com/?<img src=x onerror=alert(1)>");
  await prompt().waitFor();
  expect(await prompt().locator("img").count()).toBe(0);
});
