/** Storage of views, in a normal profile: a private one blocks the storage of third-party frames. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServedSandbox, serveSandbox } from "@vitrine/sandbox/node";
import type { BrowserContext, Frame } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchProfile, type Site, serveSite } from "../../../testing/browser.ts";
import { until } from "../../../testing/sandbox-stage.ts";
import type { ViewRegistration } from "./sandbox.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-"));
let context: BrowserContext;
let site: Site;
let served: ServedSandbox;

beforeAll(async () => {
  site = await serveSite({ "/": "<!doctype html><title>Host</title><body>" });
  served = await serveSandbox({ secret: "a secret of the tests", hosts: [site.origin()], port: 0 });
  // 0: other sites' cookies and storage are not blocked, as some builds do by default.
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  mkdirSync(join(folder, "Default"));
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
  context = await launchProfile(folder);
});
afterAll(async () => {
  await context?.close();
  await served?.close();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Shows a view in a new host page. */
async function show(view: Partial<ViewRegistration>): Promise<Frame> {
  const { src, viewOrigin } = await served.sandbox.register({
    server: "a",
    html: "<!doctype html><p>app",
    ...view,
  });
  const page = await context.newPage();
  await page.goto(`${site.origin()}/`);
  await page.evaluate((address) => {
    document.body.append(Object.assign(document.createElement("iframe"), { src: address }));
  }, src);
  return until(() => {
    const frame = page.frames().find((each) => each.url() === viewOrigin + new URL(src).pathname);
    if (!frame) throw new Error("no view");
    return frame;
  });
}

it("S11, attack B13: storage belongs to a server and domain, and outlives the view", async () => {
  const first = await show({});
  await first.evaluate(() => localStorage.setItem("secret", "of a"));
  await first.page().close();
  const read = async (view: Partial<ViewRegistration>): Promise<string | null> => {
    const frame = await show(view);
    const secret = await frame.evaluate(() => localStorage.getItem("secret"));
    await frame.page().close();
    return secret;
  };
  expect(await read({})).toBe("of a");
  expect(await read({ html: "<!doctype html><p>another view" })).toBe("of a");
  expect(await read({ server: "b" })).toBeNull();
  expect(await read({ meta: { domain: "of-its-own" } })).toBeNull();
});

it("attack B14: views of two servers do not receive each other's messages", async () => {
  const listen = (frame: Frame): Promise<void> =>
    frame.evaluate(() => {
      const heard: unknown[] = [];
      const channel = new BroadcastChannel("all");
      channel.onmessage = ({ data }) => heard.push(data);
      Object.assign(globalThis, { heard, channel });
    });
  const [speaker, sibling, stranger] = [
    await show({}),
    await show({ html: "<p>sibling" }),
    await show({ server: "b" }),
  ];
  for (const frame of [speaker, sibling, stranger]) await listen(frame);
  const say = (frame: Frame, text: string): Promise<void> =>
    frame.evaluate(
      (each) => (globalThis as unknown as { channel: BroadcastChannel }).channel.postMessage(each),
      text,
    );
  const heard = (frame: Frame): Promise<unknown> =>
    frame.evaluate(() => (globalThis as { heard?: unknown }).heard);
  await say(speaker, "secret");
  // The control: views of the same server do receive each other's messages.
  await until(async () => expect(await heard(sibling)).toEqual(["secret"]));
  await say(stranger, "own");
  await say(sibling, "answer");
  await until(async () => expect(await heard(speaker)).toEqual(["answer"]));
  expect(await heard(stranger)).toEqual([]);
});
