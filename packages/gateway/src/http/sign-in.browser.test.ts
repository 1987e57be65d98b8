/**
 * Sign-in in real browsers, because their handling of cookies, redirects and fetch metadata cannot be
 * simulated.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium } from "../../../../testing/browser.js";
import { type HttpStage, openStage } from "../../../../testing/gateway/http-stage.js";

let browser: Browser;
let folder: string;
let stage: HttpStage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-sign-in-"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Workbench</title>");
  stage = await openStage({ static: { folder, frames: [] } });
  browser = await sharedChromium();
});
afterAll(async () => {
  await browser.close();
  await stage.listener.close(0);
  await rm(folder, { recursive: true });
});

it("a used link shows a page with the solution", async () => {
  const link = stage.listener.loginUrl();
  for (const isFirst of [true, false]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const answer = await page.goto(link);
    if (!isFirst) {
      expect([answer?.status(), answer?.headers()["content-type"]]).toEqual([
        401,
        "text/html; charset=utf-8",
      ]);
      const shown = await page.locator("body").textContent();
      expect(shown).toContain("This link was used already, or has expired");
      expect(shown).toContain("prints a new link in its terminal");
      expect(shown).not.toContain("{");
    }
    await context.close();
  }
});

it("after a user opens the link, their page has full access, and a page of another site has none", async () => {
  const { listener, calls } = stage;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(listener.loginUrl());
  expect(page.url()).toBe(`${listener.origin}/`);
  expect(await page.title()).toBe("Workbench");
  const post = async (url: string) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ name: "forecast" });
    return fetch(`${url}/api/servers/weather/tools/call`, {
      method: "POST",
      headers,
      body,
      credentials: "include",
    })
      .then(({ status }) => status)
      .catch(() => 0);
  };
  expect(await page.evaluate(post, listener.origin)).toBe(200);
  expect(await page.evaluate(() => fetch("/api/servers").then(({ status }) => status))).toBe(200);
  const connects = (url: string) =>
    new Promise<boolean>((resolve) => {
      const socket = new WebSocket(url);
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
  expect(calls.map(([name]) => name)).toEqual(["tools/call", "servers"]);

  // Another server on this machine: the same site, so that the cookie is sent.
  const elsewhere = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Elsewhere</title>");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const address = elsewhere.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await page.goto(`http://127.0.0.1:${port}/`);
  calls.length = 0;
  expect(await page.evaluate(post, listener.origin)).toBe(0);
  expect(await page.evaluate(connects, `${listener.origin.replace("http", "ws")}/api/session`)).toBe(false);
  const blind = (url: string) =>
    fetch(`${url}/api/servers`, { mode: "no-cors", credentials: "include" }).then(
      () => true,
      () => false,
    );
  expect(await page.evaluate(blind, listener.origin)).toBe(false);
  await page.evaluate((url) => {
    const form = document.createElement("form");
    form.method = "POST";
    form.action = `${url}/logout`;
    document.body.append(form);
    form.submit();
  }, listener.origin);
  await page.waitForURL(`${listener.origin}/logout`);
  expect(await page.textContent("body")).toContain("origin-forbidden");
  expect(calls).toEqual([]);
  elsewhere.close();
  await context.close();
});

it("a file of the user can lead to a link that was made for it, and to no other", async () => {
  const { listener } = stage;
  const context = await browser.newContext();
  const page = await context.newPage();
  const file = join(folder, "sign-in.html");
  const open = async (link: string) => {
    await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">`);
    await page.goto(pathToFileURL(file).href);
  };
  await open(listener.loginUrl());
  await page.waitForSelector("text=cross-site");
  await open(listener.loginUrl(undefined, { arrival: true }));
  await page.waitForURL(`${listener.origin}/`);
  expect(await page.title()).toBe("Workbench");
  await context.close();
});

it("a user who returns from an authorization server on another site is known", async () => {
  const { listener, calls } = stage;
  calls.length = 0;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(listener.loginUrl());
  const authorization = createServer((request, response) => {
    // The user agrees, and the authorization server redirects the browser back.
    if (request.url === "/agree") {
      response.writeHead(302, { location: `${listener.origin}/oauth/callback?code=c&state=s` }).end();
    } else response.writeHead(200, { "content-type": "text/html" }).end('<a href="/agree">Agree</a>');
  });
  await new Promise<void>((resolve) => authorization.listen(0, "127.0.0.1", resolve));
  const address = authorization.address();
  // Another site than the gateway's, by its name.
  await page.goto(`http://localhost:${typeof address === "object" ? address?.port : 0}/`);
  await page.click("a");
  await page.waitForSelector("text=signed in to <weather>");
  expect(calls).toEqual([["authorized", "code=c&state=s", "local"]]);
  authorization.close();
  await context.close();
});
