/**
 * The scrolling speed of the inspector with 100,000 messages, and whether a search in all of them blocks the
 * page: frame times in Chromium.
 *
 * @module
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { buildInspectorPage } from "../../testing/workbench/inspector-folder.mjs";
import { launch } from "../browser.mjs";
import { count, ms, quantile, table } from "../statistics.mjs";

const MESSAGES = 100_000;
/** Number of measured frames, and pixels to scroll per frame: a fast turn of the wheel. */
const FRAMES = 600;
const STEP = 400;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** Serves a folder. */
async function serveFolder(folder) {
  const server = createServer(async (request, response) => {
    const name = request.url === "/" ? "/index.html" : request.url;
    try {
      const body = await readFile(join(folder, name));
      response.writeHead(200, { "content-type": `${TYPES[extname(name)]}; charset=utf-8` }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const report = (times) => {
  const at = (share) => Math.round(quantile(times, share) * 10) / 10;
  return { frames: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
};

/** Runs in the page: the times between frames while the list is scrolled. */
const scroll = ({ frames, step }) =>
  new Promise((resolve) => {
    const list = document.querySelector('[role="listbox"]');
    const times = [];
    let last;
    let direction = 1;
    list.scrollTop = 0;
    const next = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      if (times.length >= frames) return resolve(times);
      if (list.scrollTop + list.clientHeight >= list.scrollHeight) direction = -1;
      list.scrollTop += direction * step;
      // From time to time the scroll bar is dragged.
      if (times.length % 100 === 99) list.scrollTop = Math.random() * list.scrollHeight;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });

/** Runs in the page: the times between frames until a search has found the last message. */
const search = (text) =>
  new Promise((resolve) => {
    const times = [];
    let last;
    const began = performance.now();
    const next = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      const foot = document.querySelector(".in-foot").textContent;
      if (foot.startsWith(text) && !foot.includes("searching"))
        resolve({ times, took: performance.now() - began });
      else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });

/** Reads how many milliseconds the page's main thread has worked. */
async function mainThread(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
}

/** Measures both. */
export async function measureInspector() {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
  await buildInspectorPage(folder);
  const server = await serveFolder(folder);
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`http://localhost:${server.address().port}/`);
    await page.evaluate((many) => globalThis.bench.flood(many), MESSAGES);
    await page.getByRole("option").first().waitFor();
    const busy = await mainThread(page);
    const before = await busy();
    const scrolling = report(await page.evaluate(scroll, { frames: FRAMES, step: STEP }));
    // Main-thread time per frame, independent of other load on the machine.
    scrolling.work = Math.round(((await busy()) - before) / FRAMES / 0.01) / 100;
    // Only one answer has that text: the last message.
    const searching = page.evaluate(search, "1 of");
    await page.getByRole("searchbox", { name: "Search in JSON" }).fill(`of ${MESSAGES / 2 - 1}"`);
    const { times, took } = await searching;
    return {
      messages: MESSAGES,
      unit: "ms",
      scrolling,
      searching: { ...report(times), took: Math.round(took) },
    };
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}

export const showInspector = ({ messages, scrolling, searching }) =>
  table(
    [`${count(messages)} messages`, "p50", "p95", "p99", "longest"],
    [
      ["frame while it scrolls", ...[scrolling.p50, scrolling.p95, scrolling.p99, scrolling.max].map(ms)],
      [
        `frame while it searches (${searching.took} ms)`,
        ...[searching.p50, searching.p95, searching.p99, searching.max].map(ms),
      ],
    ],
  );
