/** The workbench and its apps in Firefox and WebKit: the same promises as in Chromium, seen and pressed as a person would. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchFirefox } from "./firefox.ts";
import { launchWebKit } from "./webkit.ts";
import { APP, PAGE, Workbench } from "./workbench.ts";

/** Longer than a page waits before it calls an app blank. */
const DIAGNOSED = 4000;

describe.each([
  ["Firefox", launchFirefox],
  ["WebKit", launchWebKit],
] as const)("in %s", (_, launch) => {
  let workbench: Workbench;
  beforeAll(async () => {
    workbench = await Workbench.start(launch);
  });
  afterAll(() => workbench?.close());

  it("an app draws its result, and the page finds nothing wrong with it", async () => {
    await workbench.call('/weather forecast {"city":"Lisbon"}');
    await workbench.textOf(APP, { selector: "h1" }).toBe("Lisbon");
    const box = await workbench.boxOf(PAGE, { selector: "iframe" });
    expect(box.height).toBeGreaterThan(200);
    // Text, curves and icons have thousands; an invisible app has fewer than twenty, of what lies around it.
    await expect.poll(() => workbench.coloursIn(box)).toBeGreaterThan(500);
    await new Promise((resolve) => setTimeout(resolve, DIAGNOSED));
    const notes = () =>
      [...document.querySelectorAll(".diagnosis, .diagnosis-line")].map((each) => each.textContent);
    expect(await workbench.run(PAGE, notes, null)).toEqual([]);
  });

  it("an app calls a tool of its server, and shows the answer", async () => {
    await workbench.press(APP, { selector: "input" });
    // WebKit moves the focus into the frame a little later.
    await expect.poll(() => workbench.run(APP, () => document.activeElement?.tagName, null)).toBe("INPUT");
    await workbench.type(APP, "Oslo");
    await expect
      .poll(() => workbench.run(APP, () => document.querySelector("input")?.value, null))
      .toBe("Oslo");
    await workbench.pressUntil(APP, { selector: "button", text: "Show" }, { selector: "h1", text: "Oslo" });
  });

  it.each([
    ["/basic-react get-time", /Server Time/],
    ["/budget-allocator get-budget-data", /Budget/],
    ["/cohort-heatmap get-cohort-data", /Cohort/],
    ["/customer-segmentation get-customer-data", /Segment/],
  ])("the app of an official server draws its result: %s", async (line, words) => {
    await workbench.call(line);
    await workbench.textOf(APP, { selector: "body" }).toMatch(words);
    const box = await workbench.boxOf(PAGE, { selector: "iframe" });
    await expect.poll(() => workbench.coloursIn(box)).toBeGreaterThan(100);
  });

  it("an app floats in a corner, and comes back to its place without a reload", async () => {
    const [frame, mode] = [{ selector: "iframe" }, { selector: "#mode" }];
    await workbench.call("/lab display_modes");
    await workbench.textOf(APP, mode).toBe("Inline");
    const before = await workbench.boxOf(PAGE, frame);
    await workbench.run(APP, () => document.documentElement.setAttribute("data-marked", ""), null);
    const floating = { ...mode, text: "Picture in picture" };
    await workbench.pressUntil(APP, { selector: "button", text: floating.text }, floating);
    const corner = await workbench.boxOf(PAGE, frame);
    const [width, height] = await workbench.run(PAGE, () => [innerWidth, innerHeight] as const, null);
    expect(corner.x + corner.width).toBeGreaterThan(width - 40);
    expect(corner.y + corner.height).toBeGreaterThan(height - 40);
    await workbench.press(PAGE, { selector: "[part~=gap] button" });
    await workbench.textOf(APP, { selector: "[data-marked] #mode" }).toBe("Inline");
    expect(Math.abs((await workbench.boxOf(PAGE, frame)).width - before.width)).toBeLessThan(3);
  });

  it("an app finds what it stored, and apps of other servers do not", async () => {
    const stored = () => localStorage.getItem("kept");
    await workbench.call('/weather forecast {"city":"Lisbon"}');
    await workbench.textOf(APP, { selector: "h1" }).toBe("Lisbon");
    await workbench.run(APP, () => localStorage.setItem("kept", "by the weather"), null);
    await workbench.call("/board show_board");
    await workbench.textOf(APP, { selector: "h1" }).toBe("To-do board");
    expect(await workbench.run(APP, stored, null)).toBeNull();
    await workbench.call('/weather forecast {"city":"Oslo"}');
    await workbench.textOf(APP, { selector: "h1" }).toBe("Oslo");
    expect(await workbench.run(APP, stored, null)).toBe("by the weather");
  });

  it("an app in a loop can be stopped: in WebKit, the page says that it stood still", async () => {
    const stop = { selector: "[part~=notice] button", text: "Stop it" };
    await workbench.call('/weather forecast {"city":"Lisbon"}');
    await workbench.textOf(APP, { selector: "h1" }).toBe("Lisbon");
    await workbench.run(APP, loopSoon, 6_000);
    await workbench.textOf(PAGE, stop).toBe(stop.text);
    await workbench.press(PAGE, stop);
    const stopped = { selector: "[part~=failure] p", text: "This app was stopped." };
    await workbench.textOf(PAGE, stopped).toBe(stopped.text);
  });

  it("an app reaches neither the page nor another origin", async () => {
    await workbench.call("/board show_board");
    await workbench.textOf(APP, { selector: "h1" }).toBe("To-do board");
    const foreign = await Foreign.listen();
    try {
      expect(await workbench.run(APP, reach, foreign.url)).toEqual({
        parent: "SecurityError",
        top: "SecurityError",
        storage: "SecurityError",
        fetch: "TypeError",
        image: "error",
        blocked: ["connect-src", "img-src"],
      });
      expect(foreign.requests).toBe(0);
      // The server does answer.
      expect((await fetch(foreign.url)).ok).toBe(true);
      expect(foreign.requests).toBe(1);
    } finally {
      await foreign.close();
    }
  });

  it("a tool that deletes runs after two presses of the user, and not before", async () => {
    const done = { selector: "[data-column=done]" };
    const card = "Find a meadow with shade";
    await workbench.call("/board show_board");
    await workbench.textOf(APP, done).toContain(card);
    await workbench.press(APP, { selector: "button", text: `Delete “${card}”` });
    await workbench.press(PAGE, { selector: "[part=agree]", text: "Allow once" });
    await workbench.textOf(APP, done).toContain(card);
    await workbench.press(PAGE, { selector: "[part=agree]", text: "Yes, run delete_card" });
    await workbench.textOf(APP, done).not.toContain(card);
  });

  it("an app fills the window, and comes back to the conversation without a reload", async () => {
    const frame = { selector: "iframe" };
    await workbench.call("/board show_board");
    await workbench.textOf(APP, { selector: "h1" }).toBe("To-do board");
    const before = await workbench.boxOf(PAGE, frame);
    await workbench.run(APP, () => document.documentElement.setAttribute("data-marked", ""), null);
    await workbench.press(APP, { selector: "#fullscreen", text: "Fullscreen" });
    await workbench.textOf(APP, { selector: "#fullscreen" }).toBe("Back to the chat");
    const [width, height] = await workbench.run(PAGE, () => [innerWidth, innerHeight] as const, null);
    const full = await workbench.boxOf(PAGE, frame);
    expect(full.width).toBeGreaterThan(width * 0.95);
    expect(full.height).toBeGreaterThan(height * 0.9);
    await workbench.press(APP, { selector: "#fullscreen", text: "Back to the chat" });
    await workbench.textOf(APP, { selector: "#fullscreen" }).toBe("Fullscreen");
    const after = await workbench.boxOf(PAGE, frame);
    expect(Math.abs(after.width - before.width)).toBeLessThan(3);
    await workbench.textOf(APP, { selector: "[data-marked] h1" }).toBe("To-do board");
  });
});

/** Blocks the app's process a moment later; runs in the app. */
const loopSoon = (time: number): void => {
  setTimeout(() => {
    const end = Date.now() + time;
    while (Date.now() < end);
  }, 1_000);
};

/** Tries to get out of the app; runs in it. */
async function reach(url: string): Promise<Record<string, unknown>> {
  const blocked: string[] = [];
  document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
  const nameOf = async (attempt: () => unknown): Promise<string> => {
    try {
      await attempt();
      return "reached";
    } catch (error) {
      return (error as Error).name;
    }
  };
  const image = new Promise<string>((resolve) => {
    const element = new Image();
    element.onload = () => resolve("reached");
    element.onerror = () => resolve("error");
    element.src = url;
  });
  const found = {
    parent: await nameOf(() => parent.document.title),
    top: await nameOf(() => top?.document.title),
    storage: await nameOf(() => top?.localStorage.length),
    fetch: await nameOf(() => fetch(url, { mode: "no-cors" })),
    image: await image,
  };
  // Events come after the failures that they are about.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { ...found, blocked: blocked.sort() };
}

/** A server of another origin, which counts its requests. */
class Foreign {
  readonly #server: Server;
  requests = 0;

  private constructor() {
    this.#server = createServer((_, response) => {
      this.requests++;
      response.writeHead(200, { "content-type": "image/svg+xml", "access-control-allow-origin": "*" });
      response.end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
    });
  }

  static async listen(): Promise<Foreign> {
    const foreign = new Foreign();
    await new Promise<void>((resolve) => foreign.#server.listen(0, "127.0.0.1", resolve));
    return foreign;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
