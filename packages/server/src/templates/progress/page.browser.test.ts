/** Progress in a real browser: it moves, is polled, and is cancelled. */

import { type ProgressConfig, progress, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  failing,
  giving,
  type ShownTemplate,
  TemplateStage,
} from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: ProgressConfig = {}): string => renderTemplate(progress, config);
const bar = (app: ShownTemplate) => app.view.getByRole("progressbar");
const value = (app: ShownTemplate) => bar(app).getAttribute("aria-valuenow");
const isMoving = (app: ShownTemplate) => bar(app).evaluate((it) => it.classList.contains("moving"));
const steps = (app: ShownTemplate) => app.view.locator("li").allTextContents();
const button = (app: ShownTemplate, name: string) => app.view.getByRole("button", { name, exact: true });

describe("progress", () => {
  it("moves while the progress is unknown, and then shows it in the bar, in numbers, in steps", async () => {
    const app = await stage.show(html({ title: "Build" }), { input: {}, context: { locale: "de" } });
    await bar(app).waitFor();
    expect([await isMoving(app), await value(app)]).toEqual([true, null]);
    const list = [
      { label: "Fetch", status: "done" },
      { label: "<b>Compile</b>", status: "running" },
      { label: "Test" },
    ];
    await app.result(giving({ progress: 1, total: 4, steps: list }));
    await expect.poll(() => value(app)).toBe("25");
    expect(await isMoving(app)).toBe(false);
    expect(await app.text()).toMatch(/25\s%/);
    expect(await steps(app)).toEqual(["done: Fetch", "active: <b>Compile</b>", "pending: Test"]);
    const width = () =>
      bar(app).evaluate((it) =>
        Math.round((100 * (it.firstElementChild?.clientWidth ?? 0)) / it.clientWidth),
      );
    await expect.poll(width).toBe(25);
    expect(await app.view.getByRole("status").last().textContent()).toBe("<b>Compile</b>");
    await app.close();
  });

  it("shows the progress of a failed job in red, and not as done", async () => {
    const steps = [
      { label: "Fetch", status: "done" },
      { label: "Compile", status: "failed" },
    ];
    const good = await stage.show(html(), { data: { percent: 40 } });
    const colour = (app: ShownTemplate) =>
      bar(app).evaluate(
        (it) => it.firstElementChild && getComputedStyle(it.firstElementChild).backgroundColor,
      );
    await expect.poll(() => value(good)).toBe("40");
    const blue = await colour(good);
    await good.close();
    for (const [data, percent] of [
      [{ steps, done: true }, "50"],
      [{ percent: 30, status: "failed", message: "No disk." }, "30"],
    ] as const) {
      const app = await stage.show(html(), { data });
      await expect.poll(() => value(app)).toBe(percent);
      expect(await bar(app).getAttribute("aria-valuetext")).toBe(`${percent} %, failed`);
      expect(await colour(app)).not.toBe(blue);
      expect(await app.text()).not.toMatch(/100|Done/);
      await app.close();
    }
  });

  it("hides disabled and unknown parts", async () => {
    const config = { showPercentage: false, showCurrentStep: false };
    const app = await stage.show(html(config), { data: { percent: 40, message: "Compiled" } });
    await expect.poll(() => value(app)).toBe("40");
    expect(await app.text()).toBe("Progress done: Compiled");
    expect(await app.view.getByRole("button").count()).toBe(0);
    await app.close();
    const plain = await stage.show(html(), { data: "Compiled" });
    await expect.poll(() => steps(plain)).toEqual(["done: Compiled"]);
    // The call is over, and there is nothing to poll: a bar would be useless.
    expect(await bar(plain).count()).toBe(0);
    await plain.close();
  });

  it("polls until the job is done, with one completed step per new message", async () => {
    const answers = [
      giving({ message: "Fetched", percent: 30 }),
      giving({ message: "Fetched", percent: 50 }),
      failing("The server is busy."),
      giving({ step: "Compiled", percent: 80 }),
      giving({ message: "Tested", done: true }),
    ];
    const tools = { status: () => answers.shift() ?? failing("asked too often") };
    const config = { pollTool: "status", pollArgs: { verbose: true }, pollInterval: 100, cancelTool: "stop" };
    const app = await stage.show(html(config), { data: { pollArgs: { job: 7 } }, tools });
    await expect.poll(() => value(app)).toBe("100");
    expect(await steps(app)).toEqual(["done: Fetched", "done: Compiled", "done: Tested"]);
    expect(app.calls).toEqual(Array(5).fill({ name: "status", arguments: { verbose: true, job: 7 } }));
    expect(await app.view.getByRole("alert").count()).toBe(0);
    // There is nothing left to cancel.
    expect(await app.view.getByRole("button").count()).toBe(0);
    await app.close();
  });

  it("asks for confirmation before it cancels, shows why it failed, and ends when it worked", async () => {
    let answer = failing("It is too late.");
    const tools = { stop: () => answer, status: () => giving({ percent: 50 }) };
    const config = { cancelTool: "stop", cancelConfirm: "Stop <it>?", pollTool: "status", pollInterval: 100 };
    const app = await stage.show(html(config), { data: { percent: 10, cancelArgs: { job: 7 } }, tools });
    const dialog = app.view.getByRole("alertdialog", { name: "Stop <it>?" });
    await button(app, "Cancel").click();
    await dialog.waitFor();
    // Pressing Enter by mistake cancels nothing.
    await app.page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await app.page.keyboard.press("Enter");
    await app.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(app.calls.filter(({ name }) => name === "stop")).toEqual([]);
    await button(app, "Cancel").click();
    await button(app, "Yes, cancel").click();
    await expect.poll(() => app.text()).toContain("Not cancelled: It is too late.");
    const before = app.calls.length;
    await expect.poll(() => app.calls.length).toBeGreaterThan(before + 1);
    expect(await app.text()).toContain("Not cancelled: It is too late.");
    answer = giving("Stopped.");
    await button(app, "Cancel").click();
    await button(app, "Yes, cancel").click();
    await expect.poll(() => app.text()).toContain("Stopped.");
    expect(app.calls.filter(({ name }) => name === "stop")).toEqual(
      Array(2).fill({ name: "stop", arguments: { job: 7 } }),
    );
    expect(await app.view.getByRole("button").count()).toBe(0);
    await app.close();
  });

  it("has no bar after its tool was cancelled or failed", async () => {
    const app = await stage.show(html({ cancelTool: "stop" }), { input: {} });
    await button(app, "Cancel").waitFor();
    await app.cancel("the model thought again");
    await expect.poll(() => app.text()).toBe("Progress Cancelled: the model thought again");
    expect(await bar(app).count()).toBe(0);
    await app.close();
    const failed = await stage.show(html({ pollTool: "status" }), { result: failing("No disk.") });
    await expect.poll(() => failed.text()).toBe("Progress No disk.");
    expect(await bar(failed).count()).toBe(0);
    await failed.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const list = ["done", "active", "failed", "pending"].map((status) => ({
      label: `${status} `.repeat(20),
      status,
    }));
    const data = { percent: 40, steps: list, message: "a-word-".repeat(30) };
    const app = await stage.show(html({ cancelTool: "stop" }), { data, width, context: { theme, locale } });
    await button(app, "Cancel").click();
    await app.expectAccessible();
    await app.expectNoOverflow();
    await app.close();
  });
});
