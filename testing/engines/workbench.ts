/** The workbench with the demo servers, started by its command, and used in a browser by pointer and keyboard. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { officialServer } from "../gateway/gateway-stage.ts";
import { colours, decodePng, type Picture } from "../host/picture.ts";
import { type Engine, type FramePath, offsetOf, type PointerActions } from "./engine.ts";

const COMMAND = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
/** Servers that nobody here wrote, by the names of their packages. */
const OFFICIAL = ["basic-react", "budget-allocator", "cohort-heatmap", "customer-segmentation"];

/** The page itself. */
export const PAGE: FramePath = [];
/** The app that was called last: its frame is inside of the proxy's frame. */
export const APP: FramePath = [
  `[...document.querySelectorAll("mcp-app")].at(-1)?.shadowRoot.querySelector("iframe")`,
  `document.querySelector("iframe")`,
];

/** An element: by a selector, and by its whole text or label if several match. */
export interface Target {
  readonly selector: string;
  readonly text?: string;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Found {
  readonly text: string;
  /** Whether it takes a press. */
  readonly isEnabled: boolean;
  readonly box: Box;
}

const WAIT = { timeout: 60_000, interval: 100 };
const PRESS: PointerActions["actions"] = [
  { type: "pointerDown", button: 0 },
  { type: "pause", duration: 30 },
  { type: "pointerUp", button: 0 },
];
const ENTER = "\uE007";

/** A running workbench, and a browser that shows it. Call {@link Workbench.close} when done. */
export class Workbench {
  readonly engine: Engine;
  readonly #server: ChildProcess;
  readonly #data: string;
  #called = 0;

  private constructor(engine: Engine, server: ChildProcess, data: string) {
    this.engine = engine;
    this.#server = server;
    this.#data = data;
  }

  static async start(launch: () => Promise<Engine>): Promise<Workbench> {
    const data = mkdtempSync(join(tmpdir(), "vitrine-engines-"));
    const config = join(data, "mcp.json");
    writeFileSync(config, JSON.stringify({ mcpServers: officialServers() }));
    const words = ["dev", "--demos", "--config", config, "--json", "--no-open", "--no-watch", "--port", "0"];
    const server = spawn(process.execPath, [COMMAND, ...words, "--data", data], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    server.stdout.on("data", (text) => (said += text));
    let engine: Engine | undefined;
    try {
      await vi.waitUntil(() => /^\}$/m.test(said), WAIT);
      engine = await launch();
      const workbench = new Workbench(engine, server, data);
      await engine.open(JSON.parse(said.slice(0, said.indexOf("\n}") + 2)).url);
      await vi.waitUntil(() => workbench.run(PAGE, isStarted, null), WAIT);
      return workbench;
    } catch (error) {
      await engine?.close();
      server.kill();
      throw error;
    }
  }

  /** Calls a function in a frame. It runs there: it sees nothing of this file. */
  async run<A, R>(frame: FramePath, inFrame: (arg: A) => R, arg: A): Promise<Awaited<R>> {
    return (await this.engine.call(frame, `${inFrame}`, arg)) as Awaited<R>;
  }

  /** Polls the text of an element; undefined while there is none. */
  textOf(frame: FramePath, target: Target) {
    // While a frame loads, it cannot be asked.
    return expect.poll(async () => (await this.run(frame, findIn, target).catch(() => undefined))?.text);
  }

  /** Types `/server tool {json}` into the conversation, and waits for the app. */
  async call(line: string): Promise<void> {
    await this.press(PAGE, { selector: "[aria-label=Message]" });
    await this.type(PAGE, line);
    await this.type(PAGE, ENTER);
    this.#called++;
    await expect.poll(() => this.run(PAGE, countApps, null)).toBe(this.#called);
  }

  /** Types where the focus is in the frame. */
  async type(frame: FramePath, text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: "keyDown" as const, value },
      { type: "keyUp" as const, value },
    ]);
    await this.engine.perform(frame, { type: "key", id: "keyboard", actions });
  }

  /** Moves the pointer onto an element from elsewhere, and presses it, once it takes presses. */
  async press(frame: FramePath, target: Target): Promise<void> {
    await expect
      .poll(async () => (await this.run(frame, findIn, target))?.isEnabled, { message: wordsOf(target) })
      .toBe(true);
    await this.#pressAt(frame, await this.boxOf(frame, target));
  }

  /**
   * Presses an element until another one has a text. On a slow machine, a press can miss an app that its growing
   * neighbours move.
   */
  async pressUntil(frame: FramePath, target: Target, shown: Target & { text: string }): Promise<void> {
    await expect
      .poll(
        async () => {
          await this.press(frame, target);
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          const found = await this.run(frame, findIn, shown).catch(() => undefined);
          return found !== undefined;
        },
        { interval: 2_000, message: wordsOf(shown) },
      )
      .toBe(true);
  }

  async #pressAt(frame: FramePath, box: Box): Promise<void> {
    const x = Math.round(box.x + box.width / 2);
    const y = Math.round(box.y + box.height / 2);
    const move = { type: "pointerMove", origin: "viewport", duration: 100 } as const;
    const actions = [{ ...move, x: 2, y: 2 }, { ...move, x, y }, ...PRESS];
    const parameters = { pointerType: "mouse" } as const;
    await this.engine.perform(frame, { type: "pointer", id: "mouse", parameters, actions });
  }

  /** Where an element is in its frame, once both stand still. */
  async boxOf(frame: FramePath, target: Target): Promise<Box> {
    let last = "";
    let box: Box | undefined;
    await expect
      .poll(
        async () => {
          const before = last;
          const outer = await offsetOf(this.engine, frame);
          box = (await this.run(frame, findIn, { ...target, isScrolledTo: true }))?.box;
          // A frame of another origin does not scroll the page in every browser.
          if (box && frame[0]) await this.#scroll(frame[0], outer.y + box.y + box.height / 2);
          last = JSON.stringify([outer, box]);
          return box !== undefined && box.width > 0 && last === before;
        },
        { message: wordsOf(target) },
      )
      .toBe(true);
    return box as Box;
  }

  /** Scrolls the list around a frame of the page, unless a height of the window is well inside of it. */
  async #scroll(frame: string, y: number): Promise<void> {
    const code = `(y) => {
      let list = (${frame}).getRootNode().host.parentElement;
      while (list && !/auto|scroll/.test(getComputedStyle(list).overflowY)) list = list.parentElement;
      const { top, bottom } = list?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
      if (y < top + 40 || y > bottom - 40) list?.scrollBy(0, y - (top + bottom) / 2);
    }`;
    await this.engine.call(PAGE, code, y);
  }

  /** How many colours the screenshot has in a part of the window. */
  async coloursIn({ x, y, width, height }: Box): Promise<number> {
    const picture = decodePng(await this.engine.picture());
    const scale = picture.width / (await this.run(PAGE, () => innerWidth, null));
    return colours(
      partOf(picture, { x: x * scale, y: y * scale, width: width * scale, height: height * scale }),
    ).length;
  }

  async close(): Promise<void> {
    await this.engine.close();
    const ended = once(this.#server, "exit");
    this.#server.kill();
    await ended;
    rmSync(this.#data, { recursive: true, force: true });
  }
}

const officialServers = (): Record<string, unknown> =>
  Object.fromEntries(
    OFFICIAL.map((name) => [name, { command: process.execPath, args: [officialServer(name), "--stdio"] }]),
  );

function partOf({ width, height, pixels }: Picture, part: Box): Picture {
  const left = Math.max(0, Math.round(part.x));
  const top = Math.max(0, Math.round(part.y));
  const right = Math.min(width, Math.round(part.x + part.width));
  const bottom = Math.min(height, Math.round(part.y + part.height));
  const lines = Array.from({ length: Math.max(0, bottom - top) }, (_, line) => [
    ...pixels.subarray((top + line) * width + left, (top + line) * width + right),
  ]);
  return { width: right - left, height: lines.length, pixels: Uint32Array.from(lines.flat()) };
}

const wordsOf = ({ selector, text = "" }: Target): string => `${selector} ${text}`;

const isStarted = (): boolean => document.body.textContent?.includes("What would you like to do?") === true;

const countApps = (): number => document.querySelectorAll("mcp-app").length;

/** Finds the last element that matches, also in open shadow roots. All in one function: it runs in the page. */
function findIn({ selector, text, isScrolledTo }: Target & { isScrolledTo?: boolean }): Found | undefined {
  const all = (root: ParentNode): Element[] =>
    [...root.querySelectorAll("*")].flatMap((each) => [
      each,
      ...(each.shadowRoot ? all(each.shadowRoot) : []),
    ]);
  const isNamed = (each: Element): boolean =>
    text === undefined || each.textContent?.trim() === text || each.getAttribute("aria-label") === text;
  const found = all(document).findLast((each) => each.matches(selector) && isNamed(each));
  if (!found) return undefined;
  if (isScrolledTo) found.scrollIntoView({ block: "nearest" });
  return {
    text: found.textContent ?? "",
    isEnabled: found.getAttribute("aria-disabled") !== "true",
    box: found.getBoundingClientRect().toJSON(),
  };
}
