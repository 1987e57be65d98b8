/**
 * Many apps in one page: opens a conversation with 10, 50, 200 and 1,000 apps of twenty servers, at its end.
 * Measures when the first visible app has its result, compared with the same app alone, the memory of the page and
 * its views, and the frames while the page scrolls through the conversation.
 *
 * @module
 */
import { count, ms, quantile, table } from "../statistics.mjs";
import { memory } from "./fifty.mjs";
import { HOSTS, OFFICIAL, openSite } from "./site.mjs";
import { openHost } from "./stage.mjs";

const SERVERS = 20;
const SIZES = [10, 50, 200, 1000];
/** The peers keep every app: more of them need more memory than most machines have. */
const MOST_OF_PEERS = 200;
/** Milliseconds after which the apps that have no result yet are not waited for. */
const PATIENCE = 60_000;
/** Milliseconds in which a page comes to rest. */
const REST = 5000;
/** Frames and pixels per frame: a fast scroll, over 15 screens a second. */
const FRAMES = 300;
const PIXELS = 240;
const MOST = { memory: 2, first: 1.5, frame: 20 };

/** No process is prepared: nobody connects to twenty servers and shows all of them at once. */
const SUBJECTS = HOSTS.map((host) => (host.id === "ours" ? { ...host, page: "ours?cold" } : host));
const names = (size) =>
  Array.from({ length: size }, (_, index) => {
    const copy = Math.floor((index % SERVERS) / OFFICIAL.length);
    return `${OFFICIAL[index % OFFICIAL.length]}${copy ? `@${copy}` : ""}`;
  });
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Measures all hosts with all numbers of apps, each once. `BENCH_MANY=10,200` measures only these numbers, and
 * `BENCH_MANY_HOST=ours` only our host.
 */
export async function measureMany(browser) {
  const sizes = process.env.BENCH_MANY?.split(",").map(Number) ?? SIZES;
  const { BENCH_MANY_HOST: only } = process.env;
  const subjects = SUBJECTS.filter(({ id }) => !only || id === only);
  const site = await openSite();
  const rows = [];
  try {
    for (const size of sizes)
      for (const host of subjects)
        if (host.side === "ours" || size <= MOST_OF_PEERS)
          rows.push({ id: host.id, label: host.label, size, ...(await open(browser, site, host, size)) });
  } finally {
    await site.close();
  }
  return { rows };
}

async function open(browser, site, host, size) {
  const apps = names(size);
  const alone = await single(browser, site, host, apps[size - 1]);
  const stage = await openHost(browser, site, host, [...new Set(apps)]);
  try {
    const { began, visible } = await stage.call("openAll", apps);
    const deadline = Date.now() + PATIENCE;
    let results = [];
    // Our host starts only some of them, and is at rest when no other one has started.
    for (let before = -1; results.length < size && results.length !== before && Date.now() < deadline; ) {
      before = results.length;
      for (let time = 0; time < REST && results.length < size; time += 500) {
        await pause(500);
        results = await stage.call("results");
        if (results.length === 0) before = -1;
      }
    }
    const used = await memory(browser, stage);
    const seen = results.filter(({ number }) => visible.includes(number)).map(({ at }) => at);
    const frames = await stage.call("scroll", FRAMES, PIXELS);
    await pause(REST);
    const states = await stage.call("states");
    return {
      alone,
      first: Math.min(...seen) - began,
      shown: results.length,
      memory: used.memory,
      processes: used.processes,
      frame: quantile(frames, 0.95),
      longest: Math.max(...frames),
      unresponsive: states.unresponsive ?? 0,
      failed: states.failed ?? 0,
      after: (await memory(browser, stage)).memory,
    };
  } finally {
    await stage.close();
  }
}

async function single(browser, site, host, app) {
  const stage = await openHost(browser, site, host, [app]);
  try {
    const { began } = await stage.call("openAll", [app]);
    const [{ at }] = await stage.until("result");
    return at - began;
  } finally {
    await stage.close();
  }
}

const of = (rows, id, size) => rows.find((row) => row.id === id && row.size === size);

/** Expectations that were missed. */
export function manyShortfalls({ rows }) {
  const ours = rows.filter(({ id }) => id === "ours");
  const ten = of(rows, "ours", 10);
  return ours.flatMap((row) => {
    const times = ten ? row.memory / ten.memory : 0;
    return [
      row.size === 200 && times > MOST.memory
        ? [`over ${MOST.memory}×: memory of 200 apps ÷ that of 10 = ${times.toFixed(2)}`]
        : [],
      row.first / row.alone > MOST.first
        ? [
            `over ${MOST.first}×: ${row.size} apps, the first on screen ÷ alone = ${(row.first / row.alone).toFixed(2)}`,
          ]
        : [],
      row.frame > MOST.frame
        ? [`over ${MOST.frame} ms: ${row.size} apps, a frame while scrolling (p95) = ${ms(row.frame)}`]
        : [],
      row.unresponsive + row.failed > 0
        ? [`${row.size} apps: ${row.unresponsive} unresponsive, ${row.failed} failed`]
        : [],
    ].flat();
  });
}

const megabytes = (bytes) => `${count(Math.round(bytes / 1e6))} MB`;

/** The result as text. */
export function showMany({ rows }) {
  return table(
    [
      "apps",
      "",
      "one alone",
      "first seen",
      "÷alone",
      "with result",
      "memory",
      "÷10 apps",
      "processes",
      "scrolling p95",
      "longest",
      "memory after",
      "unresponsive",
      "failed",
    ],
    rows.map((row) => {
      const ten = of(rows, row.id, 10);
      return [
        count(row.size),
        row.label,
        ms(row.alone),
        ms(row.first),
        (row.first / row.alone).toFixed(2),
        row.shown,
        megabytes(row.memory),
        ten ? (row.memory / ten.memory).toFixed(2) : "",
        row.processes,
        ms(row.frame),
        ms(row.longest),
        megabytes(row.after),
        row.unresponsive,
        row.failed,
      ];
    }),
  );
}
