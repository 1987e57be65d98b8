/**
 * The gateway from a user's view: a page, its apps and its questions in a real browser, across reloads,
 * restarts and restrictive networks.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { serveSite } from "../../../testing/browser.ts";
import { freePort } from "../../../testing/free-port.ts";
import type { GatewayPageApi } from "../../../testing/gateway/gateway-page.ts";
import { GatewayStage, officialServer, writePage } from "../../../testing/gateway/gateway-stage.ts";
import type { StoredAuditRow } from "./store/store.js";

declare const host: GatewayPageApi;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const DEMO = here("../../../testing/gateway/demo-server.mjs");
const folder = await mkdtemp(join(tmpdir(), "vitrine-demo-"));

const demo = (more: object = {}) => ({
  command: process.execPath,
  args: [DEMO, folder],
  isolation: "process",
  ...more,
});
/** Allows calls without a question, for tests about something else. */
const UNASKED = { policy: { "tools/call": "allow" } };
const SERVERS = {
  demo: demo(),
  unasked: demo(UNASKED),
  official: { command: process.execPath, args: [officialServer("basic-vanillajs"), "--stdio"] },
};

/** Messages that browsers log when the network is down. */
const NETWORK = /net::ERR_|WebSocket connection to|Failed to load resource/;

let stage: GatewayStage;
/** A single tab for all tests: without its session storage, it is like a new one. */
let page: Page;
beforeAll(async () => {
  // Servers may run as another user.
  await chmod(folder, 0o777);
  await writeFile(join(folder, "calls.log"), "");
  await chmod(join(folder, "calls.log"), 0o666);
  stage = await GatewayStage.open({ mcpServers: SERVERS });
  page = await stage.openPage(stage.context, "?ask");
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await writeFile(join(folder, "calls.log"), "");
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${stage.gateway.origin}/?ask`);
  await page.waitForFunction(() => host.gateway.state.phase === "open");
  // A new session, not the one of the previous test.
  expect((await heard(page, "state")).at(-1)).toMatchObject({ phase: "open", resumed: false });
});
afterEach(async () => {
  await release();
  // A failed test may have left it elsewhere.
  if (!page.url().startsWith(stage.gateway.origin)) await page.goto(stage.gateway.origin);
  const violations = await heard(page, "violation");
  for (const each of stage.context.pages()) if (each !== page) await each.close();
  // The page's strict policy was not violated, and nothing threw.
  expect(violations).toEqual([]);
  expect(stage.complaints.splice(0).filter((text) => !NETWORK.test(text))).toEqual([]);
});

const heard = (at: Page, event: string): Promise<unknown[]> =>
  at.evaluate((key) => host.log.values(key), event);
const until = (at: Page, event: string, count = 1): Promise<unknown> =>
  at.evaluate(([key, times]) => host.log.until(key, times), [event, count] as const);
const press = (view: Frame, name: string): Promise<void> =>
  view.getByRole("button", { name, exact: true }).click();
const saying = (view: Frame, id = "said") => expect.poll(() => view.locator(`#${id}`).textContent());
/** The calls that reached the server. */
const calls = async (): Promise<string[]> =>
  (await readFile(join(folder, "calls.log"), "utf8")).split("\n").filter(Boolean);
const hold = (): Promise<void> => writeFile(join(folder, "hold"), "");
const release = (): Promise<void> => rm(join(folder, "hold"), { force: true });

const open = (id = "app", server = "demo", at = page): Promise<Frame> =>
  stage.open(at, id, server, "show", { text: id });

/** Shows the views of the tab, and returns their frames. */
async function restore(at = page): Promise<Frame[]> {
  await at.waitForFunction(() => "host" in globalThis);
  const restored = await at.evaluate(() => host.restore());
  return Promise.all(
    restored.map(async (_, index) => {
      await until(at, `restored-${index} ready`);
      return stage.viewOf(at, `restored-${index}`);
    }),
  );
}

const question = (within: Page | Locator = page) => within.getByRole("alertdialog");
/** Moves the pointer to the question from outside, and presses one of its buttons. */
async function answer(choice: string, asked = question()): Promise<void> {
  await asked.waitFor();
  const button = asked.getByRole("button", { name: choice, exact: true });
  await expect.poll(() => button.getAttribute("aria-disabled")).not.toBe("true");
  await asked.page().mouse.move(1, 1);
  await button.click();
}

describe("questions", () => {
  it("a call with effects is asked about above its view; a declined call reaches no server", async () => {
    const view = await open("first");
    await open("second");
    await press(view, "change");
    await question(page.locator("#first")).waitFor();
    expect(await question(page.locator("#second")).count()).toBe(0);
    const text = await question().textContent();
    expect(text).toContain("demo asks");
    // An approval of all tools must not look like one for this tool. The explanation comes after the tool.
    expect(text).toMatch(/Change the notes \(change\).*all tools of this server/s);
    const buttons = await question().getByRole("button").allTextContents();
    expect(buttons.slice(2)).toEqual([
      "Allow all ordinary tools of demo for this session",
      "Always allow all ordinary tools of demo",
    ]);
    await answer("Deny");
    await saying(view).toMatch(/^change failed: denied/);
    expect(await calls()).not.toContain("change");
    const [refused] = await stage.rows({ decision: "refused" });
    expect(refused).toMatchObject({ target: "change", reason: "denied" });
    // Declining counts once: the next press asks again.
    await press(view, "change");
    await answer("Allow once");
    await saying(view).toBe('change: "change done"');
  });

  it("a page in another language asks in it, and says what an approval covers", async () => {
    await page.evaluate(() => host.speak("de"));
    const view = await open();
    await press(view, "change");
    await question().waitFor();
    const text = await question().textContent();
    expect(text).toContain("demo fragt");
    // The explanation comes after the tool.
    expect(text).toMatch(
      /Die App möchte ein Werkzeug benutzen, das etwas ändern kann\.Change the notes \(change\).*Gewöhnliche Werkzeuge sind/s,
    );
    expect(await question().getByRole("button").allTextContents()).toEqual([
      "Ablehnen",
      "Einmal erlauben",
      "Für diese Sitzung erlauben: alle gewöhnlichen Werkzeuge von demo",
      "Immer erlauben: alle gewöhnlichen Werkzeuge von demo",
    ]);
    await answer("Immer erlauben: alle gewöhnlichen Werkzeuge von demo");
    await answer("Zurück");
    await answer("Einmal erlauben");
    await saying(view).toBe('change: "change done"');
  });

  it("a read-only call is not asked about", async () => {
    const view = await open();
    await press(view, "read");
    await saying(view).toBe('read: "read done"');
    expect(await heard(page, "asked")).toEqual([]);
  });

  it("an approval for once counts once", async () => {
    const view = await open();
    await press(view, "change");
    await answer("Allow once");
    await saying(view).toBe('change: "change done"');
    await press(view, "change");
    await answer("Deny");
    await saying(view).toMatch(/^change failed: denied/);
    expect((await calls()).filter((name) => name === "change")).toHaveLength(1);
  });

  it("an approval for the session is valid in this tab, across a reload, and in no other", async () => {
    let view = await open();
    await press(view, "change");
    await answer("Allow all ordinary tools of demo for this session");
    await saying(view).toBe('change: "change done"');
    await page.reload();
    [view = view] = await restore();
    await press(view, "change");
    await saying(view).toBe('change: "change done"');
    expect(await heard(page, "asked")).toEqual([]);
    expect(await stage.gateway.api.consents.list({ user: "local" })).toEqual([]);
    const other = await stage.openPage(stage.context, "?ask");
    const asking = await open("app", "demo", other);
    await press(asking, "change");
    await answer("Deny", question(other));
    await saying(asking).toMatch(/^change failed: denied/);
  });

  it("a destructive call is asked about every time, without an option to remember", async () => {
    const view = await open();
    for (const times of [1, 2]) {
      await press(view, "destroy");
      await question().waitFor();
      expect(await question().getByRole("button").allTextContents()).toEqual(["Deny", "Allow once"]);
      expect(await question().textContent()).not.toContain("all tools");
      // Attack E02: a destructive call needs a second press.
      await answer("Allow once");
      await answer("Yes, run destroy");
      await saying(view).toBe('destroy: "destroy done"');
      expect((await calls()).filter((name) => name === "destroy")).toHaveLength(times);
    }
  });

  it("a question survives a reload, above its view; an approved call then runs once", async () => {
    await press(await open(), "change");
    await question(page.locator("#app")).waitFor();
    await page.reload();
    await restore();
    const asked = question(page.locator("#restored-0"));
    // It moved into the frame, and names its app.
    expect(await asked.locator("strong").textContent()).toMatch(/^demo asks · .+$/);
    await answer("Allow once", asked);
    await expect.poll(calls).toContain("change");
    expect((await calls()).filter((name) => name === "change")).toHaveLength(1);
  });

  it("a question without a visible frame is shown over the page", async () => {
    await press(await open(), "change");
    await question().waitFor();
    await page.reload();
    await question().waitFor();
    expect(await page.locator("mcp-app").count()).toBe(0);
    // Attack C21: it does not take the focus, so that typing elsewhere cannot answer it.
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    await answer("Deny");
    expect(await calls()).not.toContain("change");
  });

  it("links, messages and downloads are asked about; the model's context is not", async () => {
    const view = await open();
    await press(view, "context");
    await until(page, "model-context");
    await press(view, "link");
    await question().waitFor();
    expect(await question().textContent()).toContain("https://example.com/path?q=1");
    await answer("Allow once");
    expect(await until(page, "open-link")).toMatchObject({ url: "https://example.com/path?q=1" });
    await press(view, "message");
    await question().waitFor();
    expect(await question().locator("p:not([hidden]),pre").allTextContents()).toEqual([
      "The app wants to say in the conversation:",
      "hello",
    ]);
    expect(await question().getByRole("button").allTextContents()).toContain(
      "Always allow all messages from demo",
    );
    await answer("Deny");
    await saying(view).toMatch(/^message failed: denied/);
    await press(view, "download");
    await question().waitFor();
    expect(await question().textContent()).toContain("notes.txt");
    const saved = page.waitForEvent("download");
    await answer("Allow once");
    expect((await saved).suggestedFilename()).toBe("notes.txt");
    expect(await heard(page, "message")).toEqual([]);
    expect((await heard(page, "asked")).map((each) => (each as { method: string }).method)).toEqual([
      "ui/open-link",
      "ui/message",
      "ui/download-file",
    ]);
  });

  it("S09: browser permissions are asked about before the view is shown; the frame does not get denied ones", async () => {
    const opening = stage.open(page, "app", "demo", "record", {});
    await question().waitFor();
    expect(await page.locator("mcp-app").count()).toBe(0);
    expect(await question().textContent()).toContain("camera");
    await answer("Deny", question().filter({ hasText: "camera" }));
    await answer("Allow once", question().filter({ hasText: "microphone" }));
    await opening;
    const allow = await page.locator("#app").locator("iframe").getAttribute("allow");
    expect(allow).toContain("microphone");
    expect(allow).not.toContain("camera");
  });
});

describe("reloads", () => {
  it("a view returns with its input and result, and its tool is not called again", async () => {
    await saying(await open(), "result").toBe("shown app");
    await page.reload();
    const [view] = await restore();
    if (!view) throw new Error("nothing was restored");
    await saying(view, "input").toBe('{"text":"app"}');
    await saying(view, "result").toBe("shown app");
    expect(await heard(page, "state")).toMatchObject([{ phase: "open", resumed: true }]);
    expect(await calls()).toEqual(["show"]);
    await press(view, "read");
    await saying(view).toBe('read: "read done"');
  });

  it("a result that arrived during the reload is shown", async () => {
    await hold();
    const view = await stage.open(page, "app", "demo", "show-slow", {});
    await expect.poll(calls).toEqual(["show-slow"]);
    expect(await view.locator("#result").textContent()).toBe("");
    const { origin } = stage.gateway;
    await page.goto("about:blank");
    await release();
    const ended = async () => (await stage.rows({ newestFirst: true, limit: 1 }))[0]?.outcome;
    await expect.poll(ended).toBe("ok");
    await page.goto(`${origin}/?ask`);
    const [restored] = await restore();
    if (!restored) throw new Error("nothing was restored");
    await saying(restored, "result").toBe("show-slow done");
    expect(await calls()).toEqual(["show-slow"]);
  });

  it("progress reaches the app", async () => {
    const view = await open("app", "unasked");
    await hold();
    await press(view, "slow");
    await saying(view).toMatch(/^slow \d+$/);
    await release();
    await saying(view).toBe('slow: "slow done"');
  });
});

describe("a gateway that is restarted", () => {
  it('"always" is remembered across a reload and a restart; the page continues by itself', async () => {
    let view = await open();
    await press(view, "change");
    await answer("Always allow all ordinary tools of demo");
    await answer("Yes, always allow all ordinary tools of demo");
    await saying(view).toBe('change: "change done"');
    await page.reload();
    [view = view] = await restore();
    await press(view, "change");
    await saying(view).toBe('change: "change done"');
    await stage.restart();
    await press(view, "read");
    await saying(view).toBe('read: "read done"');
    await press(view, "change");
    await saying(view).toBe('change: "change done"');
    expect(await heard(page, "asked")).toEqual([]);
    expect((await calls()).filter((name) => name === "change")).toHaveLength(3);
    expect((await heard(page, "state")).at(-1)).toMatchObject({ phase: "open", resumed: false });
    // Questions still find the frame.
    await press(view, "destroy");
    await answer("Deny", question(page.locator("#restored-0")));
    await saying(view).toMatch(/^destroy failed: denied/);
    for (const key of await stage.gateway.api.consents.list({ user: "local" }))
      await stage.gateway.api.consents.revoke({ user: "local" }, key);
  });

  it("after a crash: calls with effects end as indeterminate, reads are repeated, and the app continues", async () => {
    const killable = await KillableGateway.prepare({ mcpServers: { demo: demo(UNASKED) } });
    onTestFinished(() => killable.close());
    const context = await newContext();
    const own = await context.newPage();
    await own.goto(await killable.start());
    await own.waitForFunction(() => "host" in globalThis);
    const view = await open("app", "demo", own);
    await hold();
    await press(view, "slow");
    await saying(view).toMatch(/^slow \d+$/);
    // Pages wait longer and longer for a missing gateway, except when the network comes back.
    const startAgain = async () => {
      await killable.start();
      await own.evaluate(() => void dispatchEvent(new Event("online")));
    };
    await killable.kill();
    await startAgain();
    await saying(view).toMatch(/^slow failed: indeterminate/);
    await press(view, "slow read");
    await saying(view).toMatch(/^slow-read \d+$/);
    await killable.kill();
    await release();
    await startAgain();
    await saying(view).toBe('slow read: "slow-read done"');
    await press(view, "change");
    await saying(view).toBe('change: "change done"');
    expect(await calls()).toEqual(["show", "slow", "slow-read", "slow-read", "change"]);
    // The outcome of the first calls is unknown, as the log shows.
    const outcomes = async (name: string) => {
      const { rows } = await own.evaluate(
        async (): Promise<{ rows: StoredAuditRow[] }> => (await fetch("/api/audit?limit=1000")).json(),
      );
      return rows
        .filter(({ target, decision }) => target === name && decision === "allowed")
        .map(({ seq }) => rows.find((row) => row.of === seq)?.outcome);
    };
    expect(await outcomes("slow")).toEqual(["indeterminate"]);
    await expect.poll(() => outcomes("slow-read")).toEqual(["indeterminate", "ok"]);
    await context.close();
  });
});

/** A gateway in its own process, which can be killed. */
class KillableGateway {
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(at: string) {
    this.#folder = at;
  }

  static async prepare(settings: object): Promise<KillableGateway> {
    const at = await mkdtemp(join(tmpdir(), "vitrine-killed-"));
    await writePage(join(at, "page"));
    const ports = { listen: { port: await freePort() }, sandbox: { port: await freePort() } };
    const written = { ...ports, dataFolder: join(at, "data"), ...settings };
    await writeFile(join(at, "settings.json"), JSON.stringify(written));
    return new KillableGateway(at);
  }

  /** Starts it, and returns the sign-in link. */
  async start(): Promise<string> {
    const options = ["--config", join(this.#folder, "settings.json"), "--static", join(this.#folder, "page")];
    const child = spawn(process.execPath, [here("../dist/main.js"), ...options], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child = child;
    let text = "";
    for await (const data of child.stdout) {
      text += data;
      const [, link] = /→ (http:\S+)/.exec(text) ?? [];
      if (link !== undefined) return link;
    }
    throw new Error("the gateway did not start");
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function newContext(): Promise<BrowserContext> {
  const context = await stage.context.browser()?.newContext();
  if (!context) throw new Error("the browser is gone");
  return context;
}

describe("connections", () => {
  it("without WebSockets, apps work over HTTP; when a WebSocket works again, it is used", async () => {
    const context = await newContext();
    let isBlocked = true;
    await context.routeWebSocket(/\/api\/session$/, (socket) => {
      if (isBlocked) socket.close();
      else socket.connectToServer();
    });
    const own = await stage.openPage(context, "?upgradeAfter=200");
    const over = async () => (await heard(own, "state")).map((state) => (state as { over?: string }).over);
    const view = await open("app", "unasked", own);
    expect(await over()).toEqual(["http"]);
    await press(view, "change");
    await saying(view).toBe('change: "change done"');
    isBlocked = false;
    await expect.poll(async () => (await over()).at(-1)).toBe("websocket");
    await press(view, "read");
    await saying(view).toBe('read: "read done"');
    expect(await calls()).toEqual(["show", "change", "read"]);
    expect(await heard(own, "app gone")).toEqual([]);
    await context.close();
  });

  it("two tabs have their own views and questions", async () => {
    const other = await stage.openPage(stage.context, "?ask");
    await open("app", "demo", other);
    await page.bringToFront();
    const view = await open();
    await press(view, "destroy");
    await question().waitFor();
    expect(await question(other).count()).toBe(0);
    await answer("Deny");
    expect(await heard(other, "asked")).toEqual([]);
    expect(
      await other.evaluate(async () => (await host.gateway.request("gateway/views", {})).views.length),
    ).toBe(1);
  });

  it("a duplicated tab takes over its views; the original tab is notified, and continues with new ones", async () => {
    const view = await open();
    // A window that a page opens starts with a copy of its session storage, like a duplicated tab.
    const [copy] = await Promise.all([
      stage.context.waitForEvent("page"),
      page.evaluate(() => void window.open(location.href)),
    ]);
    const [taken] = await restore(copy);
    if (!taken) throw new Error("the copy has nothing");
    await press(taken, "read");
    await saying(taken).toBe('read: "read done"');
    await until(page, "taken-over");
    await until(page, "app gone");
    await page.bringToFront();
    await press(view, "read");
    await saying(view).toMatch(/^read failed: .*another tab/);
    const again = await open("again");
    await press(again, "read");
    await saying(again).toBe('read: "read done"');
  });
});

describe("the gateway's page", () => {
  it("S01: has a strict policy, frames only from the sandbox, and a cookie that scripts cannot read", async () => {
    const view = await stage.open(page, "official", "official", "get-time", {});
    await view.getByRole("button", { name: "Get Server Time" }).click();
    await open();
    const response = await page.request.get(stage.gateway.origin);
    const policy = new Map(
      (response.headers()["content-security-policy"] ?? "").split("; ").map((each) => {
        const [name = "", ...sources] = each.split(" ");
        return [name, sources.join(" ")] as const;
      }),
    );
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("script-src")).toBe("'self'");
    expect(policy.get("style-src")).toBe("'self'");
    expect(policy.get("connect-src")).toBe("'self'");
    expect(policy.get("frame-ancestors")).toBe("'none'");
    expect(policy.get("frame-src")).toBe(`http://*.localhost:${stage.gateway.sandboxPort}`);
    const frames = page
      .frames()
      .filter((frame) => frame !== page.mainFrame() && frame.url().startsWith("http"));
    expect(frames.length).toBeGreaterThan(1);
    for (const frame of frames) expect(new URL(frame.url()).port).toBe(`${stage.gateway.sandboxPort}`);
    const cookies = await stage.context.cookies(stage.gateway.origin);
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    expect(await page.evaluate(() => document.cookie)).toBe("");
  });

  it("a link signs in one browser, once", async () => {
    const link = stage.gateway.loginUrl();
    const context = await newContext();
    const first = await context.newPage();
    expect((await first.goto(link))?.status()).toBe(200);
    await first.waitForFunction(() => host.gateway.state.phase === "open");
    const other = await newContext();
    const second = await other.newPage();
    expect((await second.goto(link))?.status()).toBe(401);
    expect(await other.cookies()).toEqual([]);
    await context.close();
    await other.close();
  });

  it("another site cannot call, connect or post, and none of its attempts has an effect", async () => {
    await open();
    const before = (await stage.rows()).length;
    const { origin } = stage.gateway;
    const site = await serveSite({
      "/": "<!doctype html><title>Elsewhere</title><iframe name=out></iframe>",
    });
    onTestFinished(() => site.close());
    // The same site with another port, so that the cookie is sent.
    const elsewhere = await stage.context.newPage();
    await elsewhere.goto(`http://${new URL(origin).hostname}:${new URL(site.origin()).port}/`);
    const tried = await elsewhere.evaluate(async (gateway) => {
      const call = `${gateway}/api/servers/demo/tools/call`;
      const body = JSON.stringify({ name: "read", arguments: {} });
      const get = (init: RequestInit, url = call) =>
        fetch(url, { credentials: "include", ...init }).then(
          (response) => `${response.type} ${response.status}`,
          () => "refused",
        );
      const socket = new Promise((resolve) => {
        const ws = new WebSocket(`${gateway.replace("http", "ws")}/api/session`);
        ws.onopen = () => resolve("open");
        ws.onerror = () => resolve("refused");
      });
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", action: call, enctype: "text/plain", target: "out" });
      const input = document.createElement("input");
      Object.assign(input, { name: body.slice(0, -1), value: "}" });
      form.append(input);
      document.body.append(form);
      form.submit();
      return [
        await get({ method: "POST", body, headers: { "content-type": "application/json" } }),
        await get({ method: "POST", body, mode: "no-cors" }),
        await get({}, `${gateway}/api/servers`),
        await get({ mode: "no-cors" }, `${gateway}/api/audit`),
        await get({ method: "POST", body: '["hello {}"]', mode: "no-cors" }, `${gateway}/api/session`),
        await socket,
      ];
    }, origin);
    expect(tried).toEqual(tried.map(() => "refused"));
    await elsewhere.close();
    expect(await calls()).toEqual(["show"]);
    expect((await stage.rows()).length).toBe(before);
    // The browser reported the reason to the other page.
    stage.complaints.length = 0;
  });
});

describe("a server that crashes", () => {
  it("its app and the page are notified, and both continue when the server is back", async () => {
    const view = await open();
    await press(view, "crash");
    await saying(view).toMatch(/^crash failed: /);
    await expect.poll(async () => statuses(), {}).toContain("waiting");
    await press(view, "read");
    await saying(view).toBe('read: "read done"');
    await expect.poll(async () => (await statuses()).at(-1)).toBe("ready");
    expect((await calls()).filter((name) => name === "crash")).toHaveLength(1);
  });
});

const statuses = async () =>
  (await heard(page, "gateway/status"))
    .filter((status) => (status as { name: string }).name === "demo")
    .map((status) => (status as { state: string }).state);
