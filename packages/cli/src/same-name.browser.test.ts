/**
 * Two servers with the same name, in the commands as users run them: real processes, one data folder, one
 * browser profile (attack E01).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LIMIT, launchProfile } from "../../../testing/browser.ts";
import { textsOf } from "../../../testing/cli/companion-stage.ts";
import { freePort } from "../../../testing/free-port.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at("../dist/main.js");
const MAIL = at("../../../testing/gateway/mail-server.mjs");

let folder: string;
let profile: string;
let browser: BrowserContext;
let page: Page | undefined;
let vitrine: ChildProcess | undefined;
/** The command's output. */
let said = "";

/** A server that the command line names `mail`: its file is `index.mjs` in a folder of that name. */
const server = (account: string): string => `node ${join(folder, account, "mail", "index.mjs")}`;
/** A server whose app also starts in a browser that blocks storage in frames, as the one of `render` may. */
const tolerant = (script: string): string =>
  script.replace(
    'show("stored", localStorage.getItem("mail") ?? "nothing");',
    'try { show("stored", localStorage.getItem("mail") ?? "nothing"); } catch { show("stored", "nothing"); }',
  );
/** A settings file that names it `mail`. */
const writeSettings = (file: string, account: string): Promise<void> =>
  writeFile(
    file,
    JSON.stringify({ mcpServers: { mail: { command: process.execPath, args: [MAIL, account] } } }),
  );

beforeAll(async () => {
  // Not in the temporary folder: sandboxed programs have their own.
  folder = await mkdtemp(join(at("../../../node_modules"), ".vitrine-same-name-"));
  // Sandboxed programs run as another user if the tests run as root.
  await chmod(folder, 0o755);
  for (const account of ["ann", "eve"]) {
    await mkdir(join(folder, account, "mail"), { recursive: true });
    // Sandboxed programs read their own folder.
    await writeFile(join(folder, account, "mail", "server.mjs"), tolerant(await readFile(MAIL, "utf8")));
    const script = `process.argv.push(${JSON.stringify(account)});\nawait import("./server.mjs");\n`;
    await writeFile(join(folder, account, "mail", "index.mjs"), script);
  }
  // Third-party frames may use storage, which some builds of the browser block by default.
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  profile = await mkdtemp(join(tmpdir(), "vitrine-profile-"));
  await mkdir(join(profile, "Default"), { recursive: true });
  await writeFile(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  browser = await launchProfile(profile);
  browser.setDefaultTimeout(LIMIT);
});
afterEach(async () => {
  await page?.close();
  page = undefined;
  await stop();
});
afterAll(async () => {
  await browser?.close();
  for (const each of [folder, profile]) await rm(each, { recursive: true, force: true });
});

function run(...words: string[]): ChildProcess {
  said = "";
  vitrine = spawn(process.execPath, [MAIN, ...words], {
    // Ignores the settings of the user who runs the tests.
    env: { PATH: process.env["PATH"], HOME: folder },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  vitrine.stderr?.on("data", (data) => {
    said += data;
  });
  return vitrine;
}

async function stop(): Promise<void> {
  const running = vitrine;
  vitrine = undefined;
  if (running?.exitCode !== null) return;
  running.kill("SIGINT");
  await once(running, "exit");
}

/** Runs `vitrine dev`, and opens its page with an earlier conversation. */
async function dev(words: readonly string[], conversation?: string): Promise<Page> {
  await page?.close();
  await stop();
  const { stdout } = run("dev", ...words, "--no-open");
  let url: string | undefined;
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  if (url === undefined) throw new Error(`it ended: ${said}`);
  page = await browser.newPage();
  await page.goto(url);
  if (conversation !== undefined) {
    await page.goto(`${new URL(url).origin}/#conversation=${conversation}`);
    await page.reload();
  }
  return page;
}

const views = (): Frame[] => page?.frames().filter((frame) => /^http:\/\/v\./.test(frame.url())) ?? [];

/** Calls the tool that has an app; returns the app. */
async function inbox(at: Page): Promise<Frame> {
  const before = views().length;
  await at.getByRole("option", { name: /^Inbox/ }).waitFor();
  const message = at.getByRole("textbox", { name: "Message", exact: true });
  await message.fill("/mail show");
  await message.press("Enter");
  await expect.poll(() => views().length, { timeout: LIMIT }).toBeGreaterThan(before);
  const view = views().at(-1);
  if (!view) throw new Error("there is no app");
  await view.locator("#stored").waitFor();
  return view;
}

const stored = (view: Frame): Promise<string | null> => view.locator("#stored").textContent();
const notice = (at: Page) =>
  at.locator(".banner", { hasText: '"mail" is not the server that had this name before.' });

describe("attack E01: vitrine dev", () => {
  it.each([[[]], [["--strict"]]])(
    "another server under a known name has an empty storage and no old results, and the user is notified: %j",
    async (more) => {
      const words = (account: string) => [server(account), ...more, ...place];
      const place = ["--port", `${await freePort()}`, "--data", join(folder, `data${more.join("")}`)];
      const first = await inbox(await dev(words("ann")));
      const { origin } = new URL(first.url());
      await first.getByRole("button", { name: "store" }).click();
      await expect.poll(() => stored(first)).toBe("a private draft");
      await expect.poll(() => first.locator("#result").textContent()).toContain("secret of ann");
      const conversation = `${await page?.evaluate(() => sessionStorage.getItem("vitrine-conversation"))}`;
      expect(said).not.toContain("had this name before");

      const theirs = await dev(words("eve"), conversation);
      await notice(theirs).waitFor();
      expect(said).toContain('"mail" is not the server that had this name before.');
      await theirs.getByText("show for ann").waitFor();
      await theirs.getByText(/a different server that was named "mail" before/).waitFor();
      expect(views()).toEqual([]);
      const second = await inbox(theirs);
      expect(new URL(second.url()).origin).not.toBe(origin);
      expect(await stored(second)).toBe("nothing");
      await expect.poll(() => second.locator("#result").textContent()).toContain("secret of eve");

      const again = await inbox(await dev(words("ann")));
      expect(new URL(again.url()).origin).toBe(origin);
      expect(await stored(again)).toBe("a private draft");
    },
  );

  it("a settings file that changes while it runs: the open app does nothing for the other server, and the page names that server", async () => {
    const file = join(folder, "mcp.json");
    await writeSettings(file, "ann");
    const place = ["--port", `${await freePort()}`, "--data", join(folder, "data-reload")];
    const shown = await dev(["--config", file, ...place]);
    const first = await inbox(shown);
    await expect.poll(() => first.locator("#result").textContent()).toContain("secret of ann");
    await writeSettings(file, "eve");
    await notice(shown).waitFor();
    expect(said).toContain('"mail" is not the server that had this name before.');
    const second = await inbox(shown);
    expect(new URL(second.url()).origin).not.toBe(new URL(first.url()).origin);
    await expect.poll(() => second.locator("#result").textContent()).toContain("secret of eve");
    expect(await first.locator("#result").textContent()).toContain("secret of ann");
  });
});

describe("attack E01: vitrine render", () => {
  it("shows each server its own results, and leaves nothing behind that another one could get", async () => {
    // Apart from the browser's own files.
    const files = async () =>
      (await readdir(folder, { recursive: true })).filter((file) => !file.startsWith("."));
    const before = await files();
    for (const account of ["ann", "eve", "ann"]) {
      const { stdout } = run("render", server(account), "--tool", "show", "--json");
      const { ok, text: shown } = JSON.parse(await text(stdout as NodeJS.ReadableStream));
      expect([ok, shown]).toEqual([true, expect.stringContaining(`secret of ${account}`)]);
      expect(shown).toContain("stored nothing");
    }
    expect(await files()).toEqual(before);
  });
});

describe("attack E01: vitrine companion", () => {
  const data = (): string => join(folder, "data-companion");
  let errors = "";

  async function agent(file: string): Promise<Client> {
    errors = "";
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "companion", "--config", file, "--port", "0", "--no-open", "--data", data()],
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      cwd: folder,
      stderr: "pipe",
    });
    transport.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    const client = new Client({ name: "agent", version: "1" });
    await client.connect(transport);
    return client;
  }
  const toolsOf = async (client: Client): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith("mail__"));

  it("offers nothing of a server whose name another one took, and notifies the agent and the user", async () => {
    const file = join(folder, "companion.json");
    await writeSettings(file, "ann");
    const client = await agent(file);
    try {
      expect(await toolsOf(client)).toEqual(["mail__show", "mail__send"]);
      expect(textsOf(await client.callTool({ name: "mail__show", arguments: {} }))[0]).toBe("show for ann");
      // The second server does not even start.
      await writeSettings(file, "broken");
      await expect.poll(() => toolsOf(client), { timeout: LIMIT }).toEqual([]);
      await writeSettings(file, "eve");
      await expect.poll(() => toolsOf(client), { timeout: LIMIT }).toEqual(["mail__show", "mail__send"]);
      expect(textsOf(await client.callTool({ name: "mail__show", arguments: {} }))[0]).toBe("show for eve");
      expect(errors).toContain('"mail" is not the server that had this name before.');
    } finally {
      await client.close();
    }

    // No page has shown it, so the next companion repeats it.
    const next = await agent(file);
    try {
      const context = textsOf(await next.callTool({ name: "app_context", arguments: {} })).join("\n");
      expect(context).toContain('Tell the user:\n- "mail" is not the server that had this name before.');
    } finally {
      await next.close();
    }
  });
});
