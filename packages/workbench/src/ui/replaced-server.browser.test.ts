/**
 * A server that takes another one's name, in the workbench of a user with a data folder and a real browser
 * (attack E01).
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningGateway, readSettings } from "@vitrine/gateway";
import { workbenchFolder } from "@vitrine/workbench";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, launchProfile } from "../../../../testing/browser.js";
import { freePort } from "../../../../testing/free-port.js";
import { startTestGateway } from "../../../../testing/gateway/gateway-stage.js";

const MAIL = fileURLToPath(new URL("../../../../testing/gateway/mail-server.mjs", import.meta.url));

let folder: string;
let ports: { listen: { port: number }; sandbox: { port: number } };
let browser: BrowserContext;
let gateway: RunningGateway | undefined;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-replaced-"));
  ports = { listen: { port: await freePort() }, sandbox: { port: await freePort() } };
  // Third-party frames may use storage, which some builds of the browser block by default.
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  await mkdir(join(folder, "profile", "Default"), { recursive: true });
  await writeFile(join(folder, "profile", "Default", "Preferences"), JSON.stringify(preferences));
  browser = await launchProfile(join(folder, "profile"));
  browser.setDefaultTimeout(LIMIT);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Settings that give the server of this account the name `mail`. */
const settingsOf = (account: string) => ({
  mcpServers: { mail: { command: process.execPath, args: [MAIL, account], isolation: "process" } },
  ...ports,
});

/** The gateway at the same addresses, with the server of this account under the name `mail`, and its page. */
async function start(account: string, conversation?: string): Promise<void> {
  await gateway?.close();
  const settings = settingsOf(account);
  ({ gateway } = await startTestGateway(settings, join(folder, "data"), workbenchFolder));
  await page?.close();
  page = await browser.newPage();
  await page.goto(`${gateway.loginUrl()}#inspect`);
  if (conversation === undefined) return;
  await page.goto(`${gateway.origin}/#conversation=${conversation}`);
  await page.reload();
}

/** The app of the last call, once it shows its stored text. */
async function inbox(): Promise<Frame> {
  const views = () => page.frames().filter((frame) => /^http:\/\/v\./.test(frame.url()));
  await expect.poll(() => views().length).toBeGreaterThan(0);
  const [view] = views();
  if (!view) throw new Error("there is no app");
  await view.locator("#stored").waitFor();
  return view;
}

async function call(): Promise<Frame> {
  // Tools can be called once the server has listed them.
  await page.getByRole("option", { name: /^Inbox/ }).waitFor();
  const message = page.getByRole("textbox", { name: "Message", exact: true });
  await message.fill("/mail show");
  await message.press("Enter");
  await expect.poll(() => message.inputValue()).toBe("");
  return inbox();
}

const stored = (view: Frame): Promise<string | null> => view.locator("#stored").textContent();

it("attack E01: has an empty storage, no old results and a notice in the page; the first one finds its own again", async () => {
  await start("ann");
  const first = await call();
  const { origin } = new URL(first.url());
  expect(await stored(first)).toBe("nothing");
  await first.getByRole("button", { name: "store" }).click();
  await expect.poll(() => stored(first)).toBe("a private draft");
  await expect.poll(() => first.locator("#result").textContent()).toContain("secret of ann");
  const kept = await page.evaluate(() => sessionStorage.getItem("vitrine-conversation"));
  expect(await page.getByText("is not the server that had this name").count()).toBe(0);

  await start("eve", `${kept}`);
  const notice = page.locator(".banner", { hasText: '"mail" is not the server that had this name before.' });
  await notice.waitFor();
  // The earlier text is readable, but not shown in an app of the new server.
  await page.getByText("show for ann").waitFor();
  await page.getByText(/a different server that was named "mail" before/).waitFor();
  expect(page.frames().filter((frame) => /^http:\/\/v\./.test(frame.url()))).toEqual([]);
  const second = await call();
  expect(new URL(second.url()).origin).not.toBe(origin);
  expect(await stored(second)).toBe("nothing");
  await expect.poll(() => second.locator("#result").textContent()).toContain("secret of eve");
  await notice.getByRole("button", { name: "Got it" }).click();
  await notice.waitFor({ state: "detached" });

  await start("ann", `${kept}`);
  await page.locator(".banner", { hasText: '"mail" is again a server that had this name' }).waitFor();
  const again = await inbox();
  expect(new URL(again.url()).origin).toBe(origin);
  expect(await stored(again)).toBe("a private draft");
  await expect.poll(() => again.locator("#result").textContent()).toContain("secret of ann");
});

it("attack E01: is not given the input and result of the other server's app by the grid", async () => {
  await start("ann");
  const app = await call();
  await expect.poll(() => app.locator("#result").textContent()).toContain("secret of ann");
  gateway?.update(await readSettings({ dataFolder: join(folder, "data"), ...settingsOf("bob") }));
  await page.locator(".banner", { hasText: '"mail" is not the server that had this name before.' }).waitFor();
  await page.getByRole("button", { name: "Grid" }).click();
  const grid = page.getByRole("dialog", { name: "Grid" });
  await expect.poll(() => grid.getByText(/a different server that was named "mail"/).count()).toBe(4);
  expect(await grid.locator("mcp-app").count()).toBe(0);
});
