/** A module worker has no document and no parent window; the packages still load there. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle, type Site, serveSite, sharedChromium } from "../../../testing/browser.ts";

let browser: Awaited<ReturnType<typeof sharedChromium>>;
let site: Site;

const WORKER = `
  import { Peer } from "@vitrine/protocol";
  import { App, View } from "@vitrine/view";
  import { viewScript } from "@vitrine/view/script";
  new Peer("view");
  new App({ name: "a", version: "1" });
  new View({ name: "a", version: "1" });
  postMessage(typeof document + " " + viewScript({ name: "a", version: "1" }).length);
`;

beforeAll(async () => {
  browser = await sharedChromium();
  site = await serveSite({
    "/": "<!doctype html><title>worker</title>",
    "/worker.js": { body: await bundle(WORKER, { format: "esm" }), type: "text/javascript" },
  });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

it("imports, and creates peers and apps, in a module worker", async () => {
  const page = await browser.newPage();
  await page.goto(site.origin());
  const answer = await page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const worker = new Worker("/worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
      }),
  );
  expect(answer).toMatch(/^undefined \d{4,}$/);
});
