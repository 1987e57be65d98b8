/**
 * Scaling of the gateway: calls per second and memory with many live views, and the waiting time of a quiet
 * view while its neighbour floods.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { count, ms, summary, table, times } from "../statistics.mjs";
import { echoServer, openStage } from "./stage.mjs";

const VIEWS = [1, 10, 100, 1000];
const TEXT = "x".repeat(1000);
const SECONDS = 3;
/**
 * Number of calls of the quiet view, milliseconds between them, and number of concurrent calls of the
 * flooding one.
 */
const QUIET = { calls: 120, pause: 60 };
const FLOOD = 200;
/** Maximum ratio of a quiet view's p99 beside a flood to its p99 alone. */
export const EXPECTED_QUIET = 2;

const call = (view) => view.upstream.request("tools/call", { name: "echo", arguments: { text: TEXT } });
const memoryOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

/** Opens `many` views on one page. */
async function openViews(page, many) {
  const views = [];
  for (let n = 0; n < many; n++) views.push(await page.openView({ server: "echo", uri: "ui://echo/page" }));
  return views;
}

/** Keeps one call of every view running at all times. */
async function throughput(views) {
  const end = performance.now() + SECONDS * 1000;
  let calls = 0;
  const began = performance.now();
  await Promise.all(
    views.map(async (view) => {
      while (performance.now() < end) {
        await call(view);
        calls++;
      }
    }),
  );
  return calls / ((performance.now() - began) / 1000);
}

async function quiet(view) {
  const samples = [];
  for (let n = 0; n < QUIET.calls; n++) {
    await new Promise((resolve) => setTimeout(resolve, QUIET.pause));
    const began = performance.now();
    await call(view);
    samples.push(performance.now() - began);
  }
  return samples;
}

export async function measureViews() {
  const rows = [];
  for (const many of VIEWS) {
    const stage = await openStage();
    try {
      const page = await stage.page();
      const before = memoryOf(stage.pid);
      const views = await openViews(page, many);
      for (const view of views.slice(0, 100)) await call(view);
      const perSecond = await throughput(views);
      rows.push({ many, perSecond, memory: memoryOf(stage.pid), grown: memoryOf(stage.pid) - before });
    } finally {
      await stage.close();
    }
  }
  return { rows, flood: await measureFlood() };
}

/** Two views of two pages, of one user and one server, with the gateway's default limits. */
async function measureFlood() {
  const stage = await openStage({ mcpServers: { echo: echoServer("process", { limits: {} }) } });
  try {
    const [[calm], [wild]] = [await openViews(await stage.page(), 1), await openViews(await stage.page(), 1)];
    const before = await quiet(calm);
    let isOver = false;
    let asked = 0;
    let refused = 0;
    // As fast as possible: a refused call is sent again at once.
    const flood = Array.from({ length: FLOOD }, async () => {
      for (; !isOver; asked++) await call(wild).catch(() => refused++);
    });
    const beside = await quiet(calm);
    isOver = true;
    await Promise.all(flood);
    const after = await quiet(calm);
    return { alone: summary([...before, ...after]), beside: summary(beside), asked, refused };
  } finally {
    await stage.close();
  }
}

export const showViews = ({ rows, flood }) =>
  [
    table(
      ["live views", "calls/s", "memory", "grown by"],
      rows.map(({ many, perSecond, memory, grown }) => [
        count(many),
        count(Math.round(perSecond)),
        `${(memory / 1e6).toFixed(0)} MB`,
        `${(grown / 1e6).toFixed(1)} MB`,
      ]),
    ),
    "",
    table(
      ["a quiet view", "p50", "p99"],
      [
        ["alone", ms(flood.alone.p50), ms(flood.alone.p99)],
        [
          `beside one that asks ${count(flood.asked)} times (${count(flood.refused)} refused)`,
          ms(flood.beside.p50),
          ms(flood.beside.p99),
        ],
        ["ratio", times(flood.beside.p50 / flood.alone.p50), times(flood.beside.p99 / flood.alone.p99)],
      ],
    ),
  ].join("\n");

/** Returns one line for each expectation that is not met. */
export function viewsShortfalls({ flood }) {
  const ratio = flood.beside.p99 / flood.alone.p99;
  return ratio > EXPECTED_QUIET
    ? [`over ${EXPECTED_QUIET}×: p99 of a quiet view beside one that floods = ${times(ratio)}`]
    : [];
}
