/** WebKitGTK's MiniBrowser, by WebDriver over HTTP, on a screen in memory. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findWebKit } from "../../scripts/engines.mjs";
import { freePort } from "../free-port.ts";
import {
  type Actions,
  type Engine,
  type FramePath,
  offsetOf,
  type PointerActions,
  WINDOW,
} from "./engine.ts";

/** Starts WebKit. */
export async function launchWebKit(): Promise<Engine> {
  const found = findWebKit();
  if (!found) throw new Error("no WebKit: run `node scripts/engines.mjs` first");
  const home = mkdtempSync(join(tmpdir(), "vitrine-webkit-"));
  const started: ChildProcess[] = [];
  const end = async (): Promise<void> => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const screen = spawn(
      found.screen,
      [
        "-displayfd",
        "3",
        "-screen",
        "0",
        `${WINDOW.width + 100}x${WINDOW.height + 150}x24`,
        "-nolisten",
        "tcp",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe"] },
    );
    started.push(screen);
    const [display] = await once(screen.stdio[3] as NodeJS.ReadableStream, "data");
    const port = await freePort();
    const env = { ...process.env, DISPLAY: `:${`${display}`.trim()}`, HOME: home, NO_AT_BRIDGE: "1" };
    started.push(spawn(found.driver, [`--port=${port}`], { env, stdio: "ignore" }));
    return await WebKitTab.open(`http://127.0.0.1:${port}`, end);
  } catch (error) {
    await end();
    throw error;
  }
}

/** The key of an element's reference in JSON. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

class WebKitTab implements Engine {
  readonly #session: string;
  readonly #end: () => Promise<void>;

  private constructor(session: string, end: () => Promise<void>) {
    this.#session = session;
    this.#end = end;
  }

  static async open(driver: string, end: () => Promise<void>): Promise<Engine> {
    while (!(await fetch(`${driver}/status`).catch(() => undefined)))
      await new Promise((go) => setTimeout(go, 50));
    const capabilities = { alwaysMatch: {} };
    const { sessionId } = (await send("POST", `${driver}/session`, { capabilities })) as {
      sessionId: string;
    };
    const session = `${driver}/session/${sessionId}`;
    await send("POST", `${session}/window/rect`, { x: 0, y: 0, ...WINDOW });
    return new WebKitTab(session, end);
  }

  async open(url: string): Promise<void> {
    await send("POST", `${this.#session}/url`, { url });
  }

  /** Moves the driver, and the focus with it, into a frame. */
  async #enter(frame: FramePath): Promise<void> {
    await send("POST", `${this.#session}/frame`, { id: null });
    for (const step of frame) {
      const id = await send("POST", `${this.#session}/execute/sync`, { script: `return ${step}`, args: [] });
      if (!Object(id)[ELEMENT]) throw new Error(`no frame: ${step}`);
      await send("POST", `${this.#session}/frame`, { id });
    }
  }

  async call(frame: FramePath, code: string, arg: unknown): Promise<unknown> {
    await this.#enter(frame);
    const script = `
      const done = arguments[1];
      Promise.resolve(arguments[0]).then(${code}).then(
        (value) => done({ value: JSON.stringify(value) }),
        (error) => done({ error: String(error) }),
      );`;
    const body = { script, args: [arg ?? null] };
    const { value, error } = Object(await send("POST", `${this.#session}/execute/async`, body));
    if (error) throw new Error(error);
    return typeof value === "string" ? JSON.parse(value) : undefined;
  }

  async perform(frame: FramePath, actions: Actions): Promise<void> {
    // Positions are in the window, wherever the driver is. Keys go where the focus is.
    const { x, y } = await offsetOf(this, frame);
    await this.#enter(actions.type === "key" ? frame : []);
    const moved = actions.type === "key" ? actions : moveBy(actions, x, y);
    await send("POST", `${this.#session}/actions`, { actions: [moved] });
  }

  async picture(): Promise<Buffer> {
    await this.#enter([]);
    return Buffer.from(`${await send("GET", `${this.#session}/screenshot`)}`, "base64");
  }

  async close(): Promise<void> {
    await send("DELETE", this.#session);
    await this.#end();
  }
}

const moveBy = (pointer: PointerActions, x: number, y: number): PointerActions => ({
  ...pointer,
  actions: pointer.actions.map((each) =>
    each.type === "pointerMove" ? { ...each, x: Math.round(each.x + x), y: Math.round(each.y + y) } : each,
  ),
});

async function send(method: string, url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: unknown };
  if (response.ok) return value;
  const { error, message } = Object(value);
  throw new Error(`${method} ${new URL(url).pathname}: ${error} ${message ?? ""}`);
}
