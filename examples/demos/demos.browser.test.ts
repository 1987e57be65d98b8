/** The demos' apps in the real host, behind a real gateway: what a person sees and presses. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEMOS } from "../../packages/cli/src/demos.ts";
import type { GatewayPageApi } from "../../testing/gateway/gateway-page.ts";
import { GatewayStage } from "../../testing/gateway/gateway-stage.ts";

declare const host: GatewayPageApi;

const mcpServers = Object.fromEntries(
  DEMOS.map(({ name, file }) => {
    // The programs are in the build output of the command.
    const program = fileURLToPath(file).replace("/src/", "/dist/");
    return [name, { command: process.execPath, args: [program], isolation: "process" }];
  }),
);

let stage: GatewayStage;
let page: Page;
beforeAll(async () => {
  stage = await GatewayStage.open({ mcpServers });
  page = await stage.openPage();
});
afterAll(() => stage?.close());
beforeEach(async () => {
  await page.evaluate(() => {
    host.log.clear();
    host.answerWith({ answer: "allow", remember: "session" });
  });
});

const heard = (event: string): Promise<unknown[]> => page.evaluate((key) => host.log.values(key), event);
const asked = async (): Promise<string[]> =>
  (await heard("asked")).map((question) => `${Object(question).subject || Object(question).method}`);
const press = (view: Frame, name: string | RegExp): Promise<void> =>
  view.getByRole("button", typeof name === "string" ? { name, exact: true } : { name }).click();
const textIn = (view: Frame, selector: string) =>
  expect.poll(() => view.locator(selector).first().textContent());
const close = (id: string): Promise<void> => page.evaluate((app) => host.close(app), id);

/** Nothing serious for people who do not see, or not well, in both themes; and nothing that threw. */
async function expectAccessible(view: Frame): Promise<void> {
  // Not by a script element: the app's own policy would have a say.
  await view.evaluate(axe.source);
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => view.evaluate(() => document.documentElement.dataset["theme"])).toBe(colorScheme);
    const found = await view.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const { violations } = await axe.run(document, { resultTypes: ["violations"] });
      return violations.flatMap(({ id, impact, nodes }) =>
        /serious|critical/.test(`${impact}`) ? nodes.map(({ html }) => `${id}: ${html}`) : [],
      );
    });
    expect(found).toEqual([]);
  }
  // The page has no icon.
  expect(stage.complaints.filter((text) => !text.includes("404"))).toEqual([]);
}

/** Nothing sticks out, however narrow. */
async function expectFits(view: Frame): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 300, height: 800 });
  await expect.poll(() => view.evaluate(() => innerWidth)).toBeLessThan(290);
  expect(await view.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  if (size) await page.setViewportSize(size);
}

describe("weather", () => {
  let view: Frame;
  beforeAll(async () => {
    view = await stage.open(page, "weather", "weather", "forecast", { city: "Lisbon" });
  });
  afterAll(() => close("weather"));

  it("shows five days and the hours of one", async () => {
    await textIn(view, "h1").toBe("Lisbon");
    expect(await view.getByRole("listitem").count()).toBe(5);
    const day = view.getByRole("listitem").nth(2).getByRole("button");
    await day.press("Enter");
    await expect.poll(() => day.getAttribute("aria-pressed")).toBe("true");
    expect(await day.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await view.getByRole("img").getAttribute("aria-label")).toMatch(
      /day by the hour: lowest -?\d+° at/,
    );
    expect(await view.locator("#chart path.curve").count()).toBe(1);
  });

  it("shows the other unit, and the model knows", async () => {
    const celsius = Number.parseInt(`${await view.locator("#now").textContent()}`, 10);
    await press(view, /Fahrenheit/);
    const fahrenheit = Number.parseInt(`${await view.locator("#now").textContent()}`, 10);
    // Both are rounded.
    expect(Math.abs(celsius * 1.8 + 32 - fahrenheit)).toBeLessThan(2);
    await expect
      .poll(async () => Object((await heard("model-context")).at(-1)).structuredContent)
      .toMatchObject({ city: "Lisbon", unit: "fahrenheit" });
  });

  it("shows another city without a question, and the name stays text", async () => {
    await view.getByRole("textbox", { name: "Another city" }).fill("<b>Oslo</b>");
    await press(view, "Show");
    await textIn(view, "h1").toBe("<b>Oslo</b>");
    expect(await asked()).toEqual([]);
  });

  it("tells the chat, and opens a link, when the user agrees", async () => {
    await press(view, "Tell the chat");
    await textIn(view, "#status").toBe("The chat knows.");
    expect(JSON.stringify(await heard("message"))).toContain("What should I wear?");
    await view.getByRole("link").click();
    await expect
      .poll(() => heard("open-link"))
      .toMatchObject([{ url: expect.stringContaining("Weather_forecasting") }]);
    expect(await asked()).toEqual(["ui/message", "en.wikipedia.org"]);
  });

  it("reads well for everybody, dark and light, and fits", async () => {
    await expectAccessible(view);
    await expectFits(view);
  });
});

describe("board", () => {
  let view: Frame;
  let other: Frame;
  beforeAll(async () => {
    view = await stage.open(page, "board", "board", "show_board", {});
    other = await stage.open(page, "other", "board", "show_board", {});
    await view.getByText("Bake the lemon cake").waitFor();
  });
  afterAll(() => Promise.all([close("board"), close("other")]));

  const column = (at: Frame, name: string) => textIn(at, `[data-column=${name}]`);
  const card = (title: string) => view.getByRole("listitem").filter({ hasText: title });

  it("asks once about what changes it, and both apps show the same", async () => {
    await view.getByRole("textbox", { name: "New card" }).fill("Buy <i>cherries</i>");
    await press(view, "Add");
    await column(view, "todo").toContain("Buy <i>cherries</i>");
    await column(other, "todo").toContain("Buy <i>cherries</i>");
    await press(view, /Move “Bake the lemon cake” right to Doing/);
    await column(other, "doing").toContain("Bake the lemon cake");
    expect(await asked()).toHaveLength(1);
  });

  it("moves cards by keyboard, and the focus goes with them", async () => {
    const right = card("Borrow a second blanket").getByRole("button").nth(1);
    await right.press("ArrowRight");
    await column(view, "doing").toContain("Borrow a second blanket");
    await expect.poll(() => right.evaluate((element) => element === document.activeElement)).toBe(true);
    await right.press("ArrowUp");
    await expect
      .poll(() => view.locator("[data-column=doing] .title").allTextContents())
      .toEqual(["Invite everybody to the picnic", "Borrow a second blanket", "Bake the lemon cake"]);
  });

  it("moves cards by mouse, to the place where they are dropped", async () => {
    await card("Ask Ada").dragTo(card("Find a meadow"), { targetPosition: { x: 20, y: 4 } });
    await expect
      .poll(() => view.locator("[data-column=done] .title").allTextContents())
      .toEqual(["Ask Ada to bring her guitar", "Find a meadow with shade"]);
  });

  it("asks every time before it deletes; a no leaves all as it is", async () => {
    await page.evaluate(() => host.answerWith({ answer: "deny", remember: "once" }));
    await press(view, /Delete “Ask Ada/);
    await expect.poll(() => view.locator("#status.bad").count()).toBe(1);
    await column(view, "done").toContain("Ask Ada");
    await page.evaluate(() => host.answerWith({ answer: "allow", remember: "once" }));
    await press(view, /Delete “Ask Ada/);
    await column(other, "done").not.toContain("Ask Ada");
    expect(await asked()).toEqual(["delete_card", "delete_card"]);
  });

  it("saves a file", async () => {
    const download = page.waitForEvent("download");
    await press(view, "Save as CSV");
    const file = await download;
    expect(file.suggestedFilename()).toBe("board.csv");
    expect(await readFile(await file.path(), "utf8")).toContain("2,Find a meadow with shade,Done\r\n");
  });

  it("is fullscreen on demand, and comes back", async () => {
    await press(view, "Fullscreen");
    await press(view, "Back to the chat");
    await view.getByRole("button", { name: "Fullscreen" }).waitFor();
  });

  it("reads well for everybody, dark and light, and fits", async () => {
    await expectAccessible(view);
    await expectFits(view);
  });
});

describe("lab", () => {
  beforeAll(async () => {
    // The host waits for it a while: meanwhile the others.
    await page.evaluate(() => host.open("blank", { server: "lab", tool: "blank", arguments: {} }));
  });

  it("an app logs", async () => {
    const view = await stage.open(page, "logs", "lab", "logs", {});
    await press(view, "warning");
    await expect
      .poll(() => heard("log"))
      .toMatchObject([{ data: "the app is ready" }, { level: "warning", data: { text: "line 1" } }]);
    await expectAccessible(view);
    await close("logs");
  });

  it("an app breaks its policy, and the host is notified", async () => {
    const view = await stage.open(page, "csp", "lab", "breaks_csp", {});
    await textIn(view, "#said").toContain("connect-src stopped https://example.invalid");
    await press(view, "Try image");
    await textIn(view, "#said").toContain("img-src stopped");
    await expect.poll(async () => JSON.stringify(await heard("report"))).toContain("example.invalid");
    await close("csp");
  });

  it("an app offers tools", async () => {
    const view = await stage.open(page, "tools", "lab", "app_tools", {});
    const rolled = await page.evaluate(async () => {
      const { bridge } = host.app("tools");
      const listed = await bridge?.request("tools/list", {});
      const result = await bridge?.request("tools/call", { name: "roll_dice", arguments: { sides: 2 } });
      const refused = await bridge
        ?.request("tools/call", { name: "roll_dice", arguments: { sides: 1 } })
        .catch((error: Error) => error.message);
      return { names: listed?.tools.map(({ name }) => name), result, refused };
    });
    expect(rolled.names).toEqual(["roll_dice", "paint"]);
    expect(rolled.refused).toContain("sides is a whole number from 2 to 100");
    await textIn(view, "#die").toMatch(/^[12]$/);
    await close("tools");
  });

  it("an app goes through all display modes", async () => {
    const view = await stage.open(page, "modes", "lab", "display_modes", {});
    for (const name of ["Picture in picture", "Fullscreen", "Inline"]) {
      await press(view, name);
      await textIn(view, "h1").toBe(name);
    }
    await close("modes");
  });

  it("an app that never starts is shown as text, with a reason", async () => {
    const shown = page.locator("#blank");
    await shown.getByText("there is nothing to read here").waitFor();
    // Not by the log, which every test begins anew: it may have failed while another one was under way.
    expect(await page.evaluate(() => host.app("blank").frame?.state)).toBe("failed");
    await shown.getByText("This app did not start in time.").waitFor();
  });
});
