/**
 * `vitrine render` of apps that draw in different ways, and of apps that show nothing: the check must pass
 * the first and fail the others, each with its own cause.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedChromium } from "../../../../testing/browser.ts";
import { Terminal } from "../terminal.js";
import { renderCommand } from "./render-command.js";
import type { RenderOptions } from "./render-options.js";
import type { RenderResult } from "./render-result.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-drawing-"));
const file = (name: string): string => join(folder, name);
const SERVER = `node ${fileURLToPath(new URL("../../../../testing/render/drawing-server.mjs", import.meta.url))}`;

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(server: string, options: RenderOptions): Promise<RenderResult> {
  const out = new PassThrough();
  const terminal = new Terminal(out, new PassThrough());
  const code = await renderCommand(
    server,
    { timeout: 60_000, ...options, json: true },
    { terminal, browser },
  );
  const printed = JSON.parse(String(out.read()));
  expect(code).toBe(printed.ok ? 0 : 1);
  return printed;
}

/** The cause of a failing tool, or `drawn`. */
const codeOf = async (tool: string, options: RenderOptions = {}): Promise<string> =>
  (await run(SERVER, { ...options, tool: [tool] })).cause?.code ?? "drawn";

// All at once: most of the time is waiting for apps that never draw.
describe.concurrent("an app that draws", () => {
  it.each(["text", "canvas", "solid", "webgl", "image", "background", "tiny"])("passes: %s", async (name) =>
    expect(await codeOf(name)).toBe("drawn"),
  );

  it.each(["below", "shadow", "late", "spinner", "handled"])("passes: %s", async (name) =>
    expect(await codeOf(name)).toBe("drawn"),
  );

  it.each(["text", "canvas"])("passes in the dark, and over the whole screen: %s", async (name) =>
    expect(await codeOf(name, { theme: "dark", mode: "fullscreen" })).toBe("drawn"),
  );
});

describe.concurrent("an app that shows nothing", () => {
  it.each(["empty", "invisible", "transparent", "white", "grey", "unpainted"])(
    "is blank, however that came: %s",
    async (name) => expect(await codeOf(name)).toBe("blank"),
  );

  it.each(["empty", "hidden"])("is blank in the dark too: %s", async (name) =>
    expect(await codeOf(name, { theme: "dark" })).toBe("blank"),
  );

  it("has no text, not even the source of its scripts", async () => {
    const { text, cause } = await run(SERVER, { tool: ["hidden"] });
    expect(text).toBe("");
    expect(cause).toMatchObject({ code: "blank", fix: expect.stringContaining("style") });
  });

  it("has no height: that is the cause, within the time, and no fault of the browser", async () => {
    const screenshot = file("flat.png");
    const printed = await run(SERVER, { tool: ["flat"], screenshot, timeout: 20_000 });
    expect(printed.cause).toMatchObject({ code: "zero-height" });
    expect(printed).not.toHaveProperty("screenshot");
    expect(printed.size.height).toBe(0);
  });

  it("shows only that it is loading, although it has its result", async () => {
    expect(await codeOf("loading")).toBe("still-loading");
  });
});

describe.concurrent("an app whose script fails before or while it draws", () => {
  it.each([
    ["throws", "Uncaught ReferenceError: nothing is not defined", "document:4:1"],
    ["throwsAtStart", "Uncaught ReferenceError: nothing is not defined", "document:3:1"],
    ["rejects", "Uncaught Error: no tea", "document:4:19"],
  ])("fails with its own cause, with the line of the document: %s", async (tool, text, place) => {
    const { cause, console: lines } = await run(SERVER, { tool: [tool], timeout: 20_000 });
    expect(cause).toMatchObject({ code: "script-error" });
    expect(cause?.message).toContain(`${text} (${place})`);
    expect(lines).toContainEqual({ level: "error", from: "script", text, place });
  });

  it.each(["fetches", "fetchesLate"])(
    "because of a request that its policy blocks: the cause names the domain and what to declare: %s",
    async (tool) => {
      const { cause } = await run(SERVER, { tool: [tool] });
      expect(cause).toMatchObject({
        code: "request-blocked",
        message: expect.stringContaining("a request to api.example"),
        fix: "To connect to https://api.example, declare it in csp.connectDomains of the resource's _meta.ui.",
      });
    },
  );
});

describe.concurrent("a replay", () => {
  const trace = file("text.jsonl");
  let recorded: Promise<RenderResult> | undefined;
  const record = (): Promise<RenderResult> => (recorded ??= run(SERVER, { tool: ["text"], trace }));

  it("contains the visible text, and passes while the app shows that text, or nearly", async () => {
    expect(await record()).toMatchObject({ ok: true, text: expect.stringContaining("Rome") });
    const last = readFileSync(trace, "utf8").trimEnd().split("\n").at(-1);
    expect(JSON.parse(`${last}`)).toMatchObject({
      shown: { isDrawn: true, text: expect.stringContaining("Rome") },
    });
    expect(await run("", { replay: trace })).toMatchObject({ ok: true });
    expect(await run(`${SERVER} reworded`, { replay: trace })).toMatchObject({ ok: true });
  });

  it.each([
    ["hidden", "blank"],
    ["empty", "blank"],
    ["loading", "still-loading"],
  ])("fails when the app has become %s", async (page, code) => {
    await record();
    expect((await run(`${SERVER} ${page}`, { replay: trace })).cause).toMatchObject({
      code,
      message: expect.stringContaining("When it was recorded"),
    });
  });

  it("fails when the app shows other text, unless that is not to be compared", async () => {
    await record();
    expect(await run(`${SERVER} other`, { replay: trace })).toMatchObject({
      cause: { code: "replay-differs" },
      replay: { differences: [expect.stringMatching(/^The app shows other text: .*Rome.*Nobody knows/)] },
    });
    expect(await run(`${SERVER} other`, { replay: trace, ignoreText: true })).toMatchObject({ ok: true });
  });

  it("of a recording without visible text still replays, and finds an app that has become blank", async () => {
    await record();
    const older = file("older.jsonl");
    const lines = readFileSync(trace, "utf8").split("\n");
    writeFileSync(older, lines.filter((line) => !line.includes('"shown":')).join("\n"));
    expect(await run("", { replay: older })).toMatchObject({ ok: true });
    expect(await run(`${SERVER} other`, { replay: older })).toMatchObject({ ok: true });
    expect(await run(`${SERVER} hidden`, { replay: older })).toMatchObject({ cause: { code: "blank" } });
  });

  it("of an app that was blank then passes if it is still blank", async () => {
    const blank = file("blank.jsonl");
    expect(await run(SERVER, { tool: ["empty"], trace: blank })).toMatchObject({ ok: false });
    expect(await run("", { replay: blank })).toMatchObject({ ok: true });
  });

  it("keeps no text in a recording from which something was taken out", async () => {
    const redacted = file("redacted.jsonl");
    await run(SERVER, { tool: ["text"], trace: redacted, redact: ["result.content.*.text"] });
    const last = readFileSync(redacted, "utf8").trimEnd().split("\n").at(-1);
    expect(JSON.parse(`${last}`)).toEqual({ t: expect.any(Number), shown: { isDrawn: true } });
    expect(await run("", { replay: redacted })).toMatchObject({ ok: true });
  });
});
