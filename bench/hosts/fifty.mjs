/**
 * Fifty apps in one page: opens a long conversation, with its results, at its end. Measures when the first
 * visible app has its result, when all have, which came first, and the memory of the page and its views
 * then.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { count, ms, quantile, ratio, shuffled, table } from "../statistics.mjs";
import { HOSTS, OFFICIAL, openSite } from "./site.mjs";
import { openHost } from "./stage.mjs";

const APPS = 50;
/** Our host with all apps alive: by default it releases those that are far from the screen. */
const OURS = { ...HOSTS[0], page: "ours?keep" };
/** No new round after this many milliseconds: a busy machine gets fewer samples, not a longer run. */
const PATIENCE = 50_000;
/** The official apps in turn, spread over so many servers; each of our servers is a process. */
const appsOf = (servers) =>
  Array.from({ length: APPS }, (_, index) => {
    const turn = index % servers;
    const copy = Math.floor(turn / OFFICIAL.length);
    return `${OFFICIAL[turn % OFFICIAL.length]}${copy ? `@${copy}` : ""}`;
  });

/** Measures all contenders in turn, `rounds` times; ours also with the apps on ten servers. */
export async function measureFifty(browser, rounds = 2) {
  const site = await openSite();
  const subjects = [
    ...[OURS, ...HOSTS.slice(1)].map((host) => ({ ...host, servers: OFFICIAL.length })),
    { ...OURS, id: "ten", side: "ten", label: "Vitrine, ten servers", servers: 10 },
  ];
  const samples = {};
  try {
    const deadline = Date.now() + PATIENCE;
    for (let round = 0; round < rounds && (round < 1 || Date.now() < deadline); round++) {
      for (const subject of shuffled(subjects)) {
        const alone = await single(browser, site, subject);
        (samples[subject.id] ??= []).push({ alone, ...(await openAll(browser, site, subject)) });
      }
    }
  } finally {
    await site.close();
  }
  return summarise(subjects, samples);
}

/** The last app of the conversation alone, which is the first visible one. */
async function single(browser, site, subject) {
  const [app] = appsOf(subject.servers).slice(-1);
  const stage = await openHost(browser, site, subject, [app]);
  try {
    const { began } = await stage.call("openAll", [app]);
    const [{ at }] = await stage.until("result");
    return at - began;
  } finally {
    await stage.close();
  }
}

async function openAll(browser, site, subject) {
  const names = appsOf(subject.servers);
  const stage = await openHost(browser, site, subject, [...new Set(names)]);
  try {
    const before = await processes(browser);
    const { began, visible } = await stage.call("openAll", names);
    const heard = (await stage.until("result", APPS)).sort((a, b) => a.at - b.at);
    const after = await processes(browser);
    const earlier = (id) => before.find((each) => each.id === id)?.cpuTime ?? 0;
    const seen = heard.filter(({ number }) => visible.includes(number));
    return {
      first: seen[0].at - began,
      seen: seen[seen.length - 1].at - began,
      all: heard[APPS - 1].at - began,
      // The number of invisible apps that finished before the last visible one.
      before: heard.indexOf(seen[seen.length - 1]) + 1 - seen.length,
      visible: visible.length,
      // Processor time of the whole browser, which is independent of other load on the machine.
      cpu: after.reduce((sum, { id, cpuTime }) => sum + cpuTime - earlier(id), 0),
      ...(await memory(browser, stage)),
    };
  } finally {
    await stage.close();
  }
}

/** The processes of the browser, with the processor seconds of each. */
export const processes = async (browser) => (await browser.send("SystemInfo.getProcessInfo")).processInfo;

/** JavaScript heap after a collection, once for each process, and the total memory of the renderers. */
export async function memory(browser, { browserContextId }) {
  const heaps = new Map();
  const { targetInfos } = await browser.send("Target.getTargets");
  for (const { targetId } of targetInfos.filter((target) => target.browserContextId === browserContextId)) {
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const { id } = await browser.send("Runtime.getIsolateId", {}, sessionId);
    if (!heaps.has(id)) {
      await browser.send("HeapProfiler.collectGarbage", {}, sessionId);
      heaps.set(id, (await browser.send("Runtime.getHeapUsage", {}, sessionId)).usedSize);
    }
    await browser.send("Target.detachFromTarget", { sessionId });
  }
  const renderers = (await processes(browser)).filter(({ type }) => type === "renderer");
  return {
    heap: [...heaps.values()].reduce((sum, used) => sum + used, 0),
    processes: heaps.size,
    memory: renderers.reduce((sum, { id }) => sum + proportionalSize(id), 0),
  };
}

/** Memory of a process in bytes (PSS); 0 where the system does not report it. */
function proportionalSize(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function summarise(subjects, samples) {
  const rows = subjects.map(({ id, side, label }) => {
    const of = (key) =>
      quantile(
        samples[id].map((sample) => sample[key]),
        0.5,
      );
    const keys = ["alone", "first", "seen", "all", "before", "visible", "cpu", "heap", "processes", "memory"];
    return {
      id,
      side,
      label,
      n: samples[id].length,
      ...Object.fromEntries(keys.map((key) => [key, of(key)])),
    };
  });
  const [ours] = rows;
  const ratios = rows
    .filter(({ side }) => side === "official")
    .map((peer) => ({
      official: peer.id,
      first: ratio(peer.first, ours.first),
      all: ratio(peer.all, ours.all),
      heap: ratio(peer.heap, ours.heap),
    }));
  return { rows, ratios };
}

const megabytes = (bytes) => `${count(Math.round(bytes / 1e6))} MB`;

/** The result as text. */
export function showFifty({ rows, ratios }) {
  return table(
    [
      "fifty apps",
      "n",
      "one alone",
      "first seen",
      "÷alone",
      "all seen",
      "unseen before",
      "all fifty",
      "÷ours",
      "CPU time",
      "JS heap",
      "processes",
      "memory",
    ],
    rows.map((row) => [
      row.label,
      row.n,
      ms(row.alone),
      ms(row.first),
      (row.first / row.alone).toFixed(2),
      ms(row.seen),
      row.before,
      ms(row.all),
      ratios.find(({ official }) => official === row.id)?.all ?? "",
      `${row.cpu.toFixed(1)} s`,
      megabytes(row.heap),
      row.processes,
      megabytes(row.memory),
    ]),
  );
}
