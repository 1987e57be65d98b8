/**
 * The first paint of the workbench from the local server, and the script that it loads until the first app is
 * drawn: each time in a new browser context, in which nothing is cached.
 *
 * @module
 */
import { gzipSync } from "node:zlib";
import { count, ms, quantile, table } from "../statistics.mjs";

/** Limits: milliseconds, and bytes of gzip. */
const EXPECTED_PAINT = 500;
const EXPECTED_SCRIPT = 250_000;

const FIRST = /^Try “Weather/;

/** Notes when the first app is shown. */
const WATCH = `addEventListener("DOMContentLoaded", function look() {
  if (document.querySelector("mcp-app")?.state === "ready") globalThis.drawn = performance.now();
  else requestAnimationFrame(look);
})`;

/** Resolves when it is: the page's policy forbids the functions that a driver would wait with. */
const IS_DRAWN = `new Promise((resolve) => {
  const look = () => (globalThis.drawn === undefined ? setTimeout(look, 20) : resolve());
  look();
})`;

/** Signs in; returns the cookies, without anything that the page has remembered. */
async function signIn(link, browser) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("button", { name: FIRST }).waitFor();
    return await context.cookies();
  } finally {
    await context.close();
  }
}

/** A visit: to the first paint, to the page that can be used, and to the first app. */
async function visit(origin, cookies, browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.addCookies(cookies);
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    const scripts = new Map();
    const bodies = [];
    page.on("response", (response) => {
      const url = response.url();
      if (!url.startsWith(origin) || !url.endsWith(".js")) return;
      bodies.push(response.body().then((body) => scripts.set(url, gzipSync(body, { level: 9 }).length)));
    });
    await page.goto(`${origin}/`);
    const first = page.getByRole("button", { name: FIRST });
    await first.waitFor();
    const usable = await page.evaluate("performance.now()");
    const paint = await page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0].startTime`);
    await first.click();
    await page.evaluate(IS_DRAWN);
    const requested = await page.evaluate(
      `performance.getEntriesByType("resource").filter(({ startTime }) => startTime <= drawn).map(({ name }) => name)`,
    );
    await Promise.all(bodies);
    const script = requested.reduce((sum, url) => sum + (scripts.get(url) ?? 0), 0);
    return { paint, usable, script };
  } finally {
    await context.close();
  }
}

/** Measures some visits of one gateway. */
export async function measureFirstPaint(link, browser, rounds) {
  const origin = new URL(link).origin;
  const cookies = await signIn(link, browser);
  const visits = [];
  for (let n = 0; n < rounds; n++) visits.push(await visit(origin, cookies, browser));
  const middle = (key) =>
    Math.round(
      quantile(
        visits.map((each) => each[key]),
        0.5,
      ),
    );
  const worst = Math.round(Math.max(...visits.map(({ paint }) => paint)));
  return { rounds, paint: middle("paint"), worst, usable: middle("usable"), script: middle("script") };
}

export const showFirstPaint = ({ rounds, paint, worst, usable, script }) =>
  table(
    [
      `nothing cached, median of ${rounds}`,
      "first paint",
      "longest",
      "can be used",
      "script until the first app, gzip",
    ],
    [["the page from the local server", ms(paint), ms(worst), ms(usable), `${count(script)} B`]],
  );

/** Returns one line for each expectation that is not met. */
export const firstPaintShortfalls = ({ paint, script }) => [
  ...(paint > EXPECTED_PAINT
    ? [`the workbench's first paint takes over ${ms(EXPECTED_PAINT)}: ${ms(paint)}`]
    : []),
  ...(script > EXPECTED_SCRIPT
    ? [
        `the workbench loads over ${count(EXPECTED_SCRIPT)} B of script before the first app: ${count(script)} B`,
      ]
    : []),
];
