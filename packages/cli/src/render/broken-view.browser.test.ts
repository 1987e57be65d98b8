/** A view that its server cannot read is not a missing view: `vitrine render` names the file and its problem. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedChromium } from "../../../../testing/browser.ts";
import { Terminal } from "../terminal.js";
import { renderCommand } from "./render-command.js";
import type { RenderOptions } from "./render-options.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-broken-view-"));
const SERVER = fileURLToPath(new URL("../../../../testing/render/discovered-server.mjs", import.meta.url));

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const TOOL = JSON.stringify({
  description: "Greets",
  annotations: { readOnlyHint: true },
  result: "Hello",
});
const PAGE = "<!doctype html><title>Greeting</title><h1>Hello</h1>";

/** A project with one tool, and these files in its `ui` folder. */
function project(name: string, ui: Record<string, string>): string {
  const root = join(folder, name);
  for (const [file, text] of Object.entries({ "../tool.json": TOOL, ...ui })) {
    const path = join(root, "tools/greet/ui", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return `node ${SERVER} ${root}`;
}

async function causeOf(server: string, options: RenderOptions) {
  const out = new PassThrough();
  const terminal = new Terminal(out, new PassThrough());
  const code = await renderCommand(server, { ...options, json: true }, { terminal, browser });
  expect(code).toBe(1);
  return JSON.parse(String(out.read()));
}

describe.concurrent("a view that its server cannot read", () => {
  it.each<[string, Record<string, string>, string]>([
    [
      "a missing script",
      { "index.html": `${PAGE}<script src="view.js"></script>` },
      "tools/greet/ui/index.html: ",
    ],
    [
      "a missing image",
      { "index.html": `${PAGE}<img alt="" src="logo.png">` },
      "tools/greet/ui/index.html: ",
    ],
    [
      "a module that is imported",
      { "index.html": `${PAGE}<script type="module" src="a.js"></script>`, "a.js": 'import "./chunk.js";' },
      "tools/greet/ui/index.html: ",
    ],
    [
      "a key that is misspelt",
      { "index.html": PAGE, "ui.meta.json": '{\n  "entrypont": "index.html"\n}' },
      "tools/greet/ui/ui.meta.json:2: ",
    ],
  ])("is reported with the file and the reason: %s", async (what, files, place) => {
    const server = project(what.replaceAll(" ", "-"), files);
    const { cause } = await causeOf(server, { tool: ["greet"] });
    expect(cause).toMatchObject({ code: "view-unreadable", fix: expect.stringContaining("file") });
    expect(cause.message).toContain(place);
  });

  it("is one that failed, and not one that is left out, when all tools are rendered", async () => {
    const server = project("all", { "index.html": `${PAGE}<script src="view.js"></script>` });
    const { results, cause } = await causeOf(server, { all: true });
    expect(cause).toMatchObject({ code: "some-failed" });
    expect(results).toMatchObject([{ tool: "greet", cause: { code: "view-unreadable" } }]);
  });
});
