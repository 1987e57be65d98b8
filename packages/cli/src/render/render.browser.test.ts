/**
 * `vitrine render` with all official servers, and with everything that goes wrong. One browser, and a
 * separate gateway for each command, as users have it.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { STYLE_VARIABLES } from "@vitrine/protocol";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { sharedChromium } from "../../../../testing/browser.ts";
import { officialServer, PROBE_SERVER } from "../../../../testing/gateway/gateway-stage.ts";
import { FAULTY, isAlive } from "../../../../testing/gateway/servers.ts";
import { decodePng } from "../../../../testing/host/picture.ts";
import { writePdf } from "../../../../testing/host/small-pdf.ts";
import { Terminal } from "../terminal.js";
import { launchBrowser } from "./browser.js";
import { renderCommand } from "./render-command.js";
import type { RenderOptions } from "./render-options.js";
import type { RenderReport, RenderResult } from "./render-result.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-render-test-"));
const file = (name: string): string => join(folder, name);
const APPS = fileURLToPath(new URL("../../../../testing/render/apps-server.mjs", import.meta.url));
const APPS_SERVER = `node ${APPS}`;
/** The command as installed; it is built before tests run. */
const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const pdf = file("two-pages.pdf");
const config = file("mcp.json");

const schema = JSON.parse(readFileSync(new URL("../../render.schema.json", import.meta.url), "utf8"));
const isValid = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

let browser: Browser;
/** Launches the browser as the command does; see {@link wholeBrowser}. */
let whole: Promise<Browser> | undefined;
beforeAll(async () => {
  // With software rendering, as the command starts it.
  browser = await sharedChromium();
});
afterAll(async () => {
  await browser?.close();
  await (await whole)?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Started when a test first needs it, and again after a test has ended it. */
async function wholeBrowser(): Promise<Browser> {
  if (!(await whole)?.isConnected()) whole = launchBrowser();
  return whole as Promise<Browser>;
}

/** Runs the command. */
async function run(server: string, options: RenderOptions, given: Browser | undefined = browser) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const read = (stream: PassThrough): string => String(stream.read() ?? "");
  const code = await renderCommand(server, options, { terminal: new Terminal(out, err), browser: given });
  return { code, out: read(out), err: read(err) };
}

/** Milliseconds to wait for events that must happen, on any machine. */
const TIMEOUT = 120_000;

/** Runs the command with `--json`, and checks that the output is exactly one value that matches the schema. */
async function runJson(server: string, options: RenderOptions, given?: Browser | undefined) {
  const { code, out, err } = await run(server, { ...options, json: true }, given);
  const printed: RenderResult | RenderReport = JSON.parse(out);
  expect(isValid(printed), JSON.stringify(isValid.errors)).toBe(true);
  expect(err).toBe("");
  const known = schema.$defs["results" in printed ? "report" : "result"].properties;
  expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(printed)));
  expect(code === 0).toBe(printed.ok);
  return { code, printed };
}

async function result(server: string, options: RenderOptions): Promise<RenderResult> {
  const { printed } = await runJson(server, options);
  if ("results" in printed) throw new Error("several results");
  return printed;
}

async function report(server: string, options: RenderOptions, given?: Browser): Promise<RenderReport> {
  const { printed } = await runJson(server, options, given);
  if (!("results" in printed)) throw new Error(`one result: ${JSON.stringify(printed.cause)}`);
  return printed;
}

/** A recording of a correct app, made once. */
const fineTrace = file("recorded.jsonl");
let recording: Promise<RenderResult> | undefined;
const record = () => (recording ??= result(APPS_SERVER, { tool: ["fine"], trace: fineTrace }));

describe("over the official servers", () => {
  interface Official {
    name: string;
    tool: string;
    args?: Record<string, unknown>;
    relax?: string[];
    words?: string[];
    steps?: RenderOptions["steps"];
    shows?: RegExp;
  }
  const BASIC = ["react", "vanillajs", "vue", "svelte", "preact", "solid"].map(
    (framework): Official => ({ name: `basic-${framework}`, tool: "get-time", shows: /Server Time/ }),
  );
  const OFFICIAL: Official[] = [
    ...BASIC,
    { name: "budget-allocator", tool: "get-budget-data", shows: /Marketing\s+25.0%/ },
    { name: "cohort-heatmap", tool: "get-cohort-data", shows: /M0\s+M1/ },
    { name: "customer-segmentation", tool: "get-customer-data", shows: /Enterprise\s+\(\d+\)/ },
    { name: "debug", tool: "debug-tool", shows: /vitrine-workbench/ },
    {
      name: "pdf",
      tool: "display_pdf",
      words: [pdf],
      args: { url: pdf },
      steps: [{ wait: "The first page" }],
      relax: ["blob-workers", "data-scripts"],
      shows: /The first page/,
    },
    { name: "scenario-modeler", tool: "get-scenario-data", shows: /Starting MRR/ },
    { name: "sheet-music", tool: "play-sheet-music" },
    { name: "system-monitor", tool: "get-system-info", shows: /MEMORY/i },
  ];
  /** These apps draw without a graphics card as long as they are open, which takes longer beside others. */
  const DRAWING: Official[] = [
    { name: "shadertoy", tool: "render-shadertoy" },
    { name: "threejs", tool: "show_threejs_scene", relax: ["unsafe-eval"] },
  ];
  writeFileSync(pdf, writePdf(["The first page", "The second page"]));
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: Object.fromEntries(
        [...OFFICIAL, ...DRAWING].map(({ name, words = [], relax = [] }) => [
          name,
          { command: process.execPath, args: [officialServer(name), "--stdio", ...words], relax },
        ]),
      ),
    }),
  );

  it.concurrent.each(OFFICIAL)("$name", expectDrawn);
  it.each(DRAWING)("$name", expectDrawn);

  async function expectDrawn({ name, tool, args, steps = [], shows }: Official): Promise<void> {
    const screenshot = file(`${name}.png`);
    const printed = await result(name, {
      config,
      tool: [tool],
      screenshot,
      steps,
      allowCalls: true,
      timeout: TIMEOUT,
      ...(args && { args: JSON.stringify(args) }),
    });
    expect(printed.cause).toBeUndefined();
    expect(printed).toMatchObject({ ok: true, tool, screenshot, resourceUri: expect.stringMatching(/^ui:/) });
    const { view, timings, size, csp, messages } = printed;
    expect(view?.appInfo).toMatchObject({ name: expect.any(String), version: expect.any(String) });
    // Not every app reports its size.
    for (const [step, at] of Object.entries(timings))
      if (step !== "firstSize") expect(at, step).toBeGreaterThan(0);
    expect(timings.proxyReady).toBeLessThanOrEqual(timings.initialized ?? 0);
    expect(timings.initialized).toBeLessThanOrEqual(timings.resultDelivered ?? 0);
    expect(csp.policy).toContain("default-src 'none'");
    expect(Math.min(messages.sent, messages.received)).toBeGreaterThan(1);
    if (shows) expect(printed.text).toMatch(shows);
    const { width, height } = decodePng(readFileSync(screenshot));
    expect([width, height]).toEqual([size.width, size.height]);
  }
});

describe.concurrent("a correct app", () => {
  it("is described according to the contract, down to its console lines and their locations", async () => {
    const [screenshot, trace] = [file("fine.png"), file("fine.jsonl")];
    const printed = await result(APPS_SERVER, {
      tool: ["fine"],
      screenshot,
      trace,
      theme: "dark",
      device: "mobile",
      mode: "fullscreen",
      steps: [{ click: "throw" }, { click: "later" }, { wait: "later done" }, { wait: "10" }],
    });
    expect(printed).toMatchObject({
      ok: true,
      tool: "fine",
      arguments: {},
      resourceUri: "ui://apps/fine",
      screenshot,
      trace,
      server: { name: "apps", version: "4.5.6" },
      view: { appInfo: { name: "fine", version: "1.2.3" } },
      size: { width: 390, height: 844 },
      consents: [],
    });
    expect(printed).not.toHaveProperty("cause");
    expect(printed.text).toMatch(/^shown by fine\n[\s\S]*later done[\s\S]*in the shadow$/);
    expect(printed.text).not.toContain("not to be seen");
    expect(printed.console).toContainEqual({ level: "log", from: "console", text: "hello from the app" });
    expect(printed.console).toContainEqual(
      expect.objectContaining({ from: "script", text: expect.stringContaining("thrown on purpose") }),
    );
    const { width, height } = decodePng(readFileSync(screenshot));
    expect([width, height]).toEqual([3 * 390, 3 * 844]);
  });

  it("is recorded so that it can be played again, by itself and as the server has it now", async () => {
    expect(await record()).toMatchObject({ ok: true, trace: fineTrace });
    const [header, ...lines] = readFileSync(fineTrace, "utf8").trimEnd().split("\n");
    expect(JSON.parse(`${header}`)).toMatchObject({ format: "vitrine-recording", version: 1 });
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ d: "in", m: expect.objectContaining({ method: "ui/initialize" }) }),
    );
    const alone = await result("", { replay: fineTrace });
    expect(alone).toMatchObject({ ok: true, tool: "fine", replay: { differences: [] } });
    expect(alone.replay?.compared).toBeGreaterThan(0);
    expect(alone.text).toContain("shown by fine");

    // Another app has that URI now.
    const trace = file("changed.jsonl");
    writeFileSync(trace, [`${header}`.replaceAll("ui://apps/fine", "ui://apps/chatty"), ...lines].join("\n"));
    const changed = await runJson(APPS_SERVER, { replay: trace });
    expect(changed).toMatchObject({
      code: 1,
      printed: {
        cause: { code: "replay-differs" },
        replay: { differences: expect.arrayContaining([expect.stringContaining("ui/message")]) },
      },
    });
  });

  it("runs under the policy of the host that is imitated, and so does its replay", async () => {
    const trace = file("framed.jsonl");
    const blocked = { directive: "frame-src", blocked: expect.stringContaining("maps.example.invalid") };
    const closed = { policy: expect.stringContaining("frame-src 'none'"), violations: [blocked] };
    expect(await result(APPS_SERVER, { tool: ["framed"], trace })).toMatchObject({ ok: true, csp: closed });
    expect(await result("", { replay: trace })).toMatchObject({ ok: true, csp: closed });
    expect(await result(APPS_SERVER, { tool: ["framed"], profile: "spec" })).toMatchObject({
      ok: true,
      csp: { policy: expect.stringContaining("frame-src https://maps.example.invalid"), violations: [] },
    });
  });

  it("is pressed again by the replay at the same point, and the messages after it are compared", async () => {
    const trace = file("pressed.jsonl");
    const steps = [{ click: "message" }, { wait: "message done" }];
    const redact = ["params.content.*.text", "params.nowhere"];
    const recorded = await result(APPS_SERVER, { tool: ["fine"], steps, trace, redact, allowMessages: true });
    expect(recorded.redacted).toEqual([
      { path: "params.content.*.text", values: 2 },
      { path: "params.nowhere", values: 0 },
    ]);
    const [header = "", ...lines] = readFileSync(trace, "utf8").trimEnd().split("\n");
    const events: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
    const at = (isIt: (event: Record<string, unknown>) => boolean): number => events.findIndex(isIt);
    const said = at(({ m }) => Object(m).method === "ui/message");
    expect(lines[said]).not.toContain("hello");
    expect(at(({ did }) => Object(did).click === "message")).toBeLessThan(said);
    expect(at(({ did }) => Object(did).wait === "message done")).toBeGreaterThan(said);

    const again = file("pressed-again.jsonl");
    const replayed = await result("", { replay: trace, trace: again, timeout: TIMEOUT });
    expect(replayed).toMatchObject({ ok: true, replay: { differences: [], steps: 2, untested: 0 } });
    expect(replayed.text).toContain("message done");
    expect(readFileSync(again, "utf8")).toContain('"did":{"click":"message"}');

    // The same button does something else now; and again, because the app may have stored something.
    const changed = header.replace("app.sendMessage(", "Promise.resolve(");
    writeFileSync(trace, [changed, ...lines].join("\n"));
    const differences = [expect.stringMatching(/^The app no longer requests ui\/message \(message \d+\)\.$/)];
    expect(await runJson("", { replay: trace, timeout: TIMEOUT })).toMatchObject({
      code: 1,
      printed: { cause: { code: "replay-differs" }, replay: { differences, steps: 2 } },
    });
    writeFileSync(trace, [JSON.stringify({ ...JSON.parse(changed), restored: true }), ...lines].join("\n"));
    expect(await runJson("", { replay: trace, timeout: TIMEOUT })).toMatchObject({
      code: 1,
      printed: {
        cause: { code: "replay-unsure", message: expect.stringContaining("stored state") },
        replay: { differences, restored: true },
      },
    });
  });

  it("is pressed in a replay according to the command line; a press that fails is a difference", async () => {
    const trace = file("unpressed.jsonl");
    const steps = [{ click: "message" }, { wait: "message done" }];
    const recorded = await result(APPS_SERVER, { tool: ["fine"], steps, trace, allowMessages: true });
    expect(recorded.cause).toBeUndefined();
    const lines = readFileSync(trace, "utf8").split("\n");
    writeFileSync(trace, lines.filter((line) => !line.includes('"did":')).join("\n"));
    const alone = await result("", { replay: trace });
    expect(alone.cause).toBeUndefined();
    expect(alone).toMatchObject({ ok: true, replay: { untested: 1, steps: 0 } });
    // A pause is not a user's action.
    expect(await result("", { replay: trace, steps: [{ wait: "100" }] })).toMatchObject({
      ok: true,
      replay: { untested: 1, steps: 1 },
    });
    const pressed = await result("", { replay: trace, steps, timeout: TIMEOUT });
    expect(pressed).toMatchObject({ ok: true, replay: { untested: 0, steps: 2 } });
    expect(pressed.replay?.compared).toBe((alone.replay?.compared ?? 0) + 1);
    const wrong = await result("", { replay: trace, steps: [{ click: "massage" }], timeout: 20_000 });
    expect(wrong).toMatchObject({
      cause: { code: "replay-differs" },
      replay: {
        steps: 0,
        differences: expect.arrayContaining([
          expect.stringMatching(/^A step cannot be repeated: --click massage: the app shows no such text/),
        ]),
      },
    });
    // A step that exceeds the time is not skipped.
    const cut = await result("", { replay: trace, steps: [...steps, { wait: "600000" }], timeout: 5000 });
    expect(cut.replay?.differences).toContainEqual(
      expect.stringMatching(/^The replay reached .* of 3 within/),
    );
  });

  it("ends the replay of an app that never comes to rest, and finds it the same", async () => {
    const trace = file("restless.jsonl");
    const recorded = await result(APPS_SERVER, { tool: ["restless"], trace });
    expect(recorded).toMatchObject({ ok: true, trace });
    const replayed = await result("", { replay: trace, timeout: 12_000 });
    expect(replayed).toMatchObject({ ok: true, replay: { differences: [] } });
    // Running out of time before the end proves nothing.
    const { printed } = await runJson("", { replay: trace, timeout: 1 });
    expect(printed).toMatchObject({
      cause: { code: "replay-differs", message: expect.stringMatching(/^The replay reached message \d+ of/) },
    });
  });

  it("is recorded with the document that was shown, also when the server has it no more", async () => {
    const trace = file("fading.jsonl");
    expect(await result(APPS_SERVER, { tool: ["fading"], trace })).toMatchObject({ ok: true, trace });
    const [header = ""] = readFileSync(trace, "utf8").split("\n");
    expect(JSON.parse(header).document.html).toContain("no result yet");
  });

  it("fails when a recording was wanted, and there is no document for it", async () => {
    const trace = file("fleeting.jsonl");
    const printed = await result(APPS_SERVER, { tool: ["fleeting"], trace });
    expect(printed).toMatchObject({
      ok: false,
      text: expect.stringContaining("shown by fleeting"),
      cause: { code: "trace-failed", message: expect.stringContaining("cannot be read") },
    });
    expect(printed).not.toHaveProperty("trace");
    expect(existsSync(trace)).toBe(false);
  });

  it("is denied requests that need approval, which is reported, and gets those that an option allows", async () => {
    const steps = ["call", "link", "message", "download"].flatMap((click) => [
      { click },
      { wait: `${click} ` },
    ]);
    const denied = await result(APPS_SERVER, { tool: ["camera"], steps });
    expect(denied.cause).toBeUndefined();
    expect(
      denied.consents.map(({ method, subject, answer, option }) => [method, subject, answer, option]),
    ).toEqual([
      ["ui/permission", "camera", "deny", "--allow-permissions"],
      ["tools/call", "destroy", "deny", "--allow-calls"],
      ["ui/open-link", "example.com", "deny", "--allow-links"],
      ["ui/message", "", "deny", "--allow-messages"],
      ["ui/download-file", "", "deny", "--allow-downloads"],
    ]);
    const one = {
      allowCalls: true,
      allowLinks: true,
      allowDownloads: true,
      allowMessages: true,
      allowPermissions: true,
    };
    const allowed = await result(APPS_SERVER, {
      ...one,
      tool: ["camera"],
      steps: steps.map((step) => ("wait" in step ? { wait: `${step.wait}done` } : step)),
    });
    expect(allowed.cause).toBeUndefined();
    expect(allowed.consents.map(({ answer }) => answer)).toEqual(Array(5).fill("allow"));
  });

  it("is reported in a few lines of text", async () => {
    const { code, out } = await run(APPS_SERVER, { tool: ["fine"], steps: [{ click: "link" }] });
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ fine · apps 4\.5\.6\n/);
    expect(out).toMatch(/denied +ui\/open-link example\.com \(--allow-links\)/);
    expect(out).toContain("    shown by fine\n");
    expect(out).not.toContain("\u001b");
  });
});

// Not in parallel: it has to reach the step in half of its time.
describe("a replay of a correct app", () => {
  it("ends the replay of an app that a step makes spin, in its time", async () => {
    await record();
    const steps = [{ click: "spin" }, { click: "later" }];
    expect(await result("", { replay: fineTrace, steps, timeout: 16_000 })).toMatchObject({
      cause: { code: "unresponsive" },
      replay: { differences: expect.arrayContaining([expect.stringMatching(/cannot be repeated|came to/)]) },
    });
  });
});

describe.concurrent("several at once", () => {
  it("renders every tool with a UI that can be called, explains why the others were not rendered, and draws a sheet", async () => {
    const sheet = file("sheet.png");
    const printed = await report("budget-allocator", {
      config,
      all: true,
      screenshot: sheet,
      allowCalls: true,
    });
    expect(printed).toMatchObject({ ok: true, screenshot: sheet, skipped: [] });
    expect(printed.results.map(({ tool }) => tool)).toEqual(["get-budget-data"]);
    const { width, height } = decodePng(readFileSync(sheet));
    expect(Math.min(width, height)).toBeGreaterThan(300);
  });

  // In parallel: most of the time is waiting.
  it.each<Record<string, string>>([
    { silent: "handshake-timeout", throws: "script-error", typed: "mime-type-wrong" },
    { half: "handshake-timeout", leaves: "navigated-away", gone: "content-missing", spins: "unresponsive" },
    { never: "call-timeout", blocked: "csp-blocked", odd: "bad-resource" },
    { fine: "", still: "", error: "result-error", fails: "call-ended", exits: "call-ended" },
  ])("reports the problem of each tool: %j", async (expected) => {
    // Only the whole browser reports a page that leaves before it has loaded.
    const given = "leaves" in expected ? await wholeBrowser() : undefined;
    const printed = await report(APPS_SERVER, { tool: Object.keys(expected), timeout: 16_000 }, given);
    expect(printed.cause).toMatchObject({ code: "some-failed" });
    const found = Object.fromEntries(printed.results.map(({ tool, cause }) => [tool, cause?.code ?? ""]));
    expect(found).toEqual(expected);
    const said = printed.results.map(({ cause }) => cause?.message ?? "").join("\n");
    const statics = printed.results.filter((each) => each.static).map(({ tool, text }) => [tool, text]);
    expect(statics).toEqual("still" in expected ? [["still", "A report."]] : []);
    if ("blocked" in expected) expect(said).toContain("https://cdn.example/app.js");
    if ("fails" in expected) expect(said).toContain("the kettle is broken");
    if ("error" in expected) expect(said).toContain("out of tea");
  });
});

describe.concurrent("before anything can be shown", () => {
  it.each<[string, string, RenderOptions, string, RegExp]>([
    ["a tool that is not there", APPS_SERVER, { tool: ["fin"] }, "tool-unknown", /fine/],
    ["a tool for apps alone", APPS_SERVER, { tool: ["private"] }, "tool-not-visible", /private/],
    ["a tool without a UI", APPS_SERVER, { tool: ["plain"] }, "no-ui", /plain/],
    [
      "arguments that do not fit",
      APPS_SERVER,
      { tool: ["picky"], args: '{"city":1}' },
      "arguments-invalid",
      /city/,
    ],
    ["arguments that are missing", APPS_SERVER, { tool: ["picky"] }, "arguments-invalid", /city/],
    [
      "a server that ends",
      `node ${FAULTY} exit-at-start`,
      { tool: ["x"] },
      "server-failed",
      /no configuration found/,
    ],
    [
      "a server that never answers",
      "node -e 'setInterval(() => {}, 1000)'",
      { tool: ["x"], timeout: 500 },
      "server-failed",
      /did not answer the handshake/,
    ],
    ["a server that is not there", "no-such-server", { tool: ["x"] }, "server-unknown", /no-such-server/],
    [
      "a click on nothing",
      APPS_SERVER,
      { tool: ["fine"], steps: [{ click: "#none" }], timeout: 8000 },
      "click-failed",
      /#none/,
    ],
    [
      "a text that never comes",
      APPS_SERVER,
      { tool: ["fine"], steps: [{ wait: "Godot" }], timeout: 8000 },
      "wait-timeout",
      /Godot/,
    ],
    [
      "a file that cannot be written",
      APPS_SERVER,
      { tool: ["fine"], screenshot: "/no/such/folder/a.png" },
      "file-unwritable",
      /folder/,
    ],
    ["a recording that is none", "", { replay: APPS }, "recording-invalid", /line 1/],
    ["a recording that is not there", "", { replay: file("none.jsonl") }, "recording-invalid", /ENOENT/],
  ])("reports it for %s", async (_what, server, options, code, sentence) => {
    const { code: exit, printed } = await runJson(server, options);
    expect(printed.cause).toMatchObject({ code, message: expect.stringMatching(sentence) });
    expect(exit).toBe(1);
  });

  it.each<[string, RenderOptions, string, RegExp]>([
    ["arguments that are no JSON", { tool: ["picky"], args: "{" }, "arguments-invalid", /line 1/],
    ["a profile that is not there", { tool: ["fine"], profile: "nobody" }, "profile-unknown", /strict/],
    [
      "a mode that the profile has not",
      { tool: ["fine"], profile: "claude", mode: "pip" },
      "mode-unavailable",
      /inline/,
    ],
  ])("takes %s for a wrong command line", async (_what, options, code, sentence) => {
    const { code: exit, printed } = await runJson(APPS_SERVER, options);
    expect(printed.cause).toMatchObject({ code, message: expect.stringMatching(sentence) });
    expect(exit).toBe(2);
  });
});

describe("without a browser", () => {
  it.each([
    ["/nonexistent/chromium", "no-chromium", /install/i],
    ["/bin/true", "browser-failed", /CHROMIUM/],
  ])("explains how to get a browser when none works: CHROMIUM=%s", async (path, code, fix) => {
    const before = process.env["CHROMIUM"];
    process.env["CHROMIUM"] = path;
    try {
      const out = new PassThrough();
      const exit = await renderCommand(
        APPS_SERVER,
        { tool: ["fine"], json: true },
        { terminal: new Terminal(out, new PassThrough()) },
      );
      expect(exit).toBe(1);
      expect(JSON.parse(String(out.read())).cause).toMatchObject({ code, fix: expect.stringMatching(fix) });
    } finally {
      if (before === undefined) delete process.env["CHROMIUM"];
      else process.env["CHROMIUM"] = before;
    }
  });
});

/** Running processes with this mark in their environment. */
const marked = (mark: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark) &&
        isAlive(Number(pid))
      );
    } catch {
      return false;
    }
  });

describe("a browser that does not close", () => {
  it("does not prevent the rest from being closed, is reported, and does not keep the process alive", async () => {
    const own = await wholeBrowser();
    const [out, err] = [new PassThrough(), new PassThrough()];
    const { newContext } = own;
    onTestFinished(() => void Object.assign(own, { newContext }));
    own.newContext = async (options) =>
      Object.assign(await newContext.call(own, options), {
        close: () => Promise.reject(new Error("it \u001b[2J will not")),
      });
    const exit = vi.fn();
    const mark = `VITRINE_MARK=${randomUUID()}`;
    const code = await renderCommand(
      APPS_SERVER,
      { tool: ["fine"], env: [mark] },
      { terminal: new Terminal(out, err), browser: own, exit },
    );
    expect(code).toBe(0);
    expect(String(err.read())).toContain("the browser's context did not end: it \\u{1b}[2J will not");
    await expect.poll(() => marked(mark)).toEqual([]);
    await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  });
});

// The last test that needs it.
describe("a browser that ends", () => {
  it("is reported as one, with everything else closed properly", async () => {
    const own = await wholeBrowser();
    const called = file("called-before");
    const running = runJson(`${APPS_SERVER} ${called}`, { tool: ["never"] }, own);
    await expect.poll(() => existsSync(called)).toBe(true);
    await own.close();
    expect(await running).toMatchObject({ code: 1, printed: { cause: { code: "browser-failed" } } });
  });
});

describe("Ctrl-C", () => {
  it("ends the browser, the gateway and the server, and reports it", async () => {
    const [called, mark] = [file("called"), `VITRINE_MARK=${randomUUID()}`];
    const [name = "", value = ""] = mark.split("=");
    const words = [MAIN, "render", `${APPS_SERVER} ${called}`, "--tool", "never", "--json", "--env", mark];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, [name]: value },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    const [out, complaint] = [text(child.stdout), text(child.stderr)];
    await expect.poll(() => existsSync(called)).toBe(true);
    expect(marked(mark).length).toBeGreaterThan(2);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(JSON.parse(await out)).toMatchObject({ ok: false, cause: { code: "interrupted" } });
    // Nothing of the gateway's log.
    expect(await complaint).not.toContain('"level"');
    await expect.poll(() => marked(mark)).toEqual([]);
  });
});

describe("styles of the imitated hosts", () => {
  const server = `node ${PROBE_SERVER}`;
  /** The host's styles as the probe saw them: the first JSON that it shows. */
  const probe = async (profile: string) => {
    const { printed } = await runJson(server, { tool: ["probe"], profile, theme: "light" });
    if ("results" in printed) throw new Error("several results");
    expect(printed.cause, profile).toBeUndefined();
    return JSON.parse(/\{"variables".*?\]\}/.exec(printed.text ?? "")?.[0] ?? "{}");
  };

  it.each([
    ["strict", "rgb(27, 29, 33)", "Vitrine Sans"],
    ["spec", "rgb(27, 29, 33)", "Vitrine Sans"],
    ["common", "rgb(27, 29, 33)", undefined],
    ["chatgpt", "rgb(27, 29, 33)", undefined],
    ["claude", "rgb(20, 20, 19)", "Anthropic Sans"],
    ["vscode", "rgb(32, 32, 32)", undefined],
    ["goose", "rgb(63, 67, 75)", "Cash Sans"],
    ["mcpjam", /^oklch\(0\.34/, undefined],
    ["m365-copilot", "rgb(27, 29, 33)", "Vitrine Sans"],
    ["alexa", "rgb(27, 29, 33)", "Vitrine Sans"],
    ["continue", "rgb(27, 29, 33)", "Vitrine Sans"],
  ])("X01, X03: %s", async (profile, color, font) => {
    const seen = await probe(profile);
    expect(seen).toMatchObject({
      variables: STYLE_VARIABLES.length,
      color: expect.stringMatching(typeof color === "string" ? color.replace(/[()]/g, "\\$&") : color),
    });
    const families = (seen.faces as { family: string }[]).map(({ family }) => family.replaceAll('"', ""));
    expect([...new Set(families)].slice(0, 1)).toEqual(font ? [font] : []);
  });

  it("I07: reports that an app does not declare the mode of --mode", async () => {
    const { printed } = await runJson(server, { tool: ["inline-only"], mode: "fullscreen" });
    expect(printed).toMatchObject({ ok: false, cause: { code: "mode-unsupported" } });
  });
});
