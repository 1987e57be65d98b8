/**
 * A long conversation: a hundred turns, twenty of which open an app; those far from the
 * screen are released. Measures the memory of
 * the page and the gateway, and whether the last turns take longer than the first.
 *
 * @module
 */
import { quantile } from "../statistics.mjs";
import { calling, pause, saying } from "./model-server.mjs";
import { heapOf, memoryOf, renderers } from "./stage.mjs";

const TURNS = 100;
const APPS = 20;
/** Number of turns without an app, at both ends, that are compared. */
const ENDS = 10;
/** Milliseconds before memory is measured; every app must send a heartbeat within that time. */
const SETTLE = 12_000;

const words = (n) => [...Array.from({ length: 30 }, (_, at) => `word${at} `), `turn${n}.`];

/** Current memory use. */
async function held({ pid }, browser, page) {
  await pause(SETTLE);
  const pages = await renderers(browser);
  return {
    renderers: pages.reduce((sum, each) => sum + memoryOf(each), 0),
    processes: pages.length,
    heap: await heapOf(browser, page),
    gateway: memoryOf(pid),
  };
}

/**
 * Runs one turn: the model calls a tool and answers. Returns milliseconds from the key press to the end of
 * the answer in the page.
 */
async function turn(model, page, n, tool) {
  model.add(calling(tool, { text: `turn${n}: ${"x".repeat(500)}` }), saying(...words(n)));
  const { began, ended } = await page.evaluate(`bench.tell("This is message ${n}", "turn${n}.")`);
  return ended - began;
}

/** Runs the conversation. */
export async function measureHundredTurns(stage, browser) {
  const { model } = stage;
  const page = await stage.page(browser);
  await turn(model, page, -1, "bench__note");
  const before = await held(stage, browser, page);
  const times = [];
  for (let n = 0; n < TURNS; n++) {
    const hasApp = n >= ENDS && n < ENDS + APPS;
    times.push(await turn(model, page, n, hasApp ? "bench__draw" : "bench__note"));
    if (!hasApp) continue;
    // Apps off the screen start late, so each is scrolled into view.
    await page.evaluate(`bench.lookAt(${n - ENDS})`);
    await model.reported((each) => each.kind === "result" && each.name === `turn${n}`, `app ${n}`);
  }
  model.reports.length = 0;
  const after = await held(stage, browser, page);
  const live = new Set(model.reports.filter(({ kind }) => kind === "alive").map(({ name }) => name)).size;
  await page.close();
  const first = quantile(times.slice(0, ENDS), 0.5);
  const last = quantile(times.slice(-ENDS), 0.5);
  return { turns: TURNS, apps: APPS, live, first, last, growth: last / first, before, after };
}
