/** Firefox, by WebDriver BiDi: one WebSocket, which the browser itself serves. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { findFirefox } from "../../scripts/engines.mjs";
import { type Actions, type Engine, type FramePath, WINDOW } from "./engine.ts";

type Result = Record<string, unknown>;
interface Reply {
  readonly id?: number;
  readonly type: "success" | "error" | "event";
  readonly result?: Result;
  readonly error?: string;
  readonly message?: string;
}

/** No requests of the browser itself, and no first-run pages. */
const PREFERENCES: Readonly<Record<string, unknown>> = {
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.systemAddon.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** Starts Firefox. */
export async function launchFirefox(): Promise<Engine> {
  const path = findFirefox();
  if (!path) throw new Error("no Firefox: run `node scripts/engines.mjs` first");
  const profile = mkdtempSync(join(tmpdir(), "vitrine-firefox-"));
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, "user.js"), preferences.join(""));
  const child = spawn(
    path,
    ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile, "about:blank"],
    // Firefox refuses a home folder of another user.
    { env: { ...process.env, HOME: profile }, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(child, "close");
  try {
    const bidi = await Bidi.connect(`${await addressIn(child.stderr, ended)}/session`);
    return await FirefoxTab.open(bidi, async () => {
      await ended;
      rmSync(profile, { recursive: true, force: true });
    });
  } catch (error) {
    child.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true });
    throw error;
  }
}

/** Waits until Firefox prints the address of its WebSocket. */
async function addressIn(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  let said = "";
  const found = new Promise<string>((resolve) => {
    stderr.on("data", (data) => {
      said += data;
      const [address] = /ws:\/\/\S+/.exec(said) ?? [];
      if (address) resolve(address);
    });
  });
  const failed = ended.then(() => {
    throw new Error(`Firefox ended:\n${said}`);
  });
  return Promise.race([found, failed]);
}

/** Commands and their results. */
class Bidi {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const reply: Reply = JSON.parse(`${data}`);
      if (reply.id === undefined) return;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
    socket.on("close", () => {
      for (const end of this.#waiting.values())
        end({ type: "error", error: "Firefox closed the connection" });
    });
  }

  static async connect(url: string): Promise<Bidi> {
    const socket = new WebSocket(url, { maxPayload: 0 });
    await once(socket, "open");
    return new Bidi(socket);
  }

  async send(method: string, params: Result = {}): Promise<Result> {
    const id = ++this.#last;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    if (reply.type !== "error") return reply.result ?? {};
    throw new Error(`${method}: ${reply.error} ${reply.message ?? ""}`);
  }
}

class FirefoxTab implements Engine {
  readonly #bidi: Bidi;
  readonly #context: unknown;
  readonly #ended: () => Promise<void>;

  private constructor(bidi: Bidi, context: unknown, ended: () => Promise<void>) {
    this.#bidi = bidi;
    this.#context = context;
    this.#ended = ended;
  }

  static async open(bidi: Bidi, ended: () => Promise<void>): Promise<Engine> {
    await bidi.send("session.new", { capabilities: {} });
    const { contexts } = (await bidi.send("browsingContext.getTree")) as { contexts: { context: string }[] };
    const context = contexts[0]?.context;
    await bidi.send("browsingContext.setViewport", { context, viewport: WINDOW });
    return new FirefoxTab(bidi, context, ended);
  }

  async open(url: string): Promise<void> {
    await this.#bidi.send("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  async #contextOf(frame: FramePath): Promise<unknown> {
    let context = this.#context;
    for (const step of frame) {
      const window = await this.#evaluate(context, `(${step})?.contentWindow`);
      context = (window["value"] as { context?: string } | undefined)?.context;
      if (!context) throw new Error(`no frame: ${step}`);
    }
    return context;
  }

  async call(frame: FramePath, code: string, arg: unknown): Promise<unknown> {
    const context = await this.#contextOf(frame);
    const expression = `Promise.resolve((${code})(${JSON.stringify(arg)})).then((value) => JSON.stringify(value))`;
    const { value } = await this.#evaluate(context, expression);
    return typeof value === "string" ? JSON.parse(value) : undefined;
  }

  async #evaluate(context: unknown, expression: string): Promise<Result> {
    const done = await this.#bidi.send("script.evaluate", {
      expression,
      target: { context },
      awaitPromise: true,
      userActivation: false,
    });
    const { text } = (done["exceptionDetails"] ?? {}) as { text?: string };
    if (text !== undefined) throw new Error(text);
    return done["result"] as Result;
  }

  /** Actions in the page do not reach frames of other processes. */
  async perform(frame: FramePath, actions: Actions): Promise<void> {
    await this.#bidi.send("input.performActions", {
      context: await this.#contextOf(frame),
      actions: [actions],
    });
  }

  async picture(): Promise<Buffer> {
    const { data } = await this.#bidi.send("browsingContext.captureScreenshot", { context: this.#context });
    return Buffer.from(`${data}`, "base64");
  }

  async close(): Promise<void> {
    await this.#bidi.send("browser.close");
    await this.#ended();
  }
}
