/**
 * `npm run bench`: compares us with the official SDK. Prints tables, and writes bench/results/latest.json
 * when everything was measured.
 *
 * Every ratio is official ÷ ours, measured in one run with the contenders in turn, so it survives a busy
 * machine; absolute times do not. More samples: `BENCH_STARTS=100 BENCH_ROUNDS=50 npm run bench`. One section:
 * `node bench/run.mjs bytes`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { measureBytes, showBytes } from "./bytes.mjs";
import { ROOT, versionOf } from "./contenders.mjs";
import {
  conversationShortfalls,
  measureConversation,
  showConversation,
} from "./conversation/conversation.mjs";
import {
  measureThousandTurns,
  showThousandTurns,
  thousandTurnsShortfalls,
} from "./conversation/thousand-turns.mjs";
import { forwardShortfalls, measureForward, showForward } from "./gateway/forward.mjs";
import { idleShortfalls, measureIdle, showIdle } from "./gateway/idle.mjs";
import { isolationShortfalls, measureIsolation, showIsolation } from "./gateway/isolation.mjs";
import { measureNeighbours, neighbourShortfalls, showNeighbours } from "./gateway/neighbours.mjs";
import { measureNodes, showNodes } from "./gateway/nodes.mjs";
import { gatewayShortfalls, measureGatewayRoundtrips, showGatewayRoundtrips } from "./gateway/round-trip.mjs";
import { measureViews, showViews, viewsShortfalls } from "./gateway/views.mjs";
import { measureHostBytes, showHostBytes } from "./hosts/bytes.mjs";
import { measureFifty, showFifty } from "./hosts/fifty.mjs";
import { measureLarge, showLarge } from "./hosts/large.mjs";
import { manyShortfalls, measureMany, showMany } from "./hosts/many.mjs";
import { measureMount, showMount } from "./hosts/mount.mjs";
import { measureHostRoundtrips, showHostRoundtrips } from "./hosts/roundtrips.mjs";
import { launchQuiet } from "./quiet-browser.mjs";
import { measureRoundtrips, showRoundtrips } from "./roundtrip.mjs";
import { measureServers, serverShortfalls, showServers } from "./server/servers.mjs";
import { shortfalls } from "./shortfalls.mjs";
import { measureStartup, showStartup } from "./startup.mjs";
import { measureInspector, showInspector } from "./workbench/inspector.mjs";
import { measureReload, reloadShortfalls, showReload } from "./workbench/reload.mjs";
import { measureWorkbench, showWorkbench, workbenchShortfalls } from "./workbench/start.mjs";

const SECTIONS = {
  bytes: {
    title: "Bytes of the smallest useful app, runtime included",
    measure: () => measureBytes(),
    show: showBytes,
  },
  "host-bytes": {
    title: "Bytes of a host in the browser, without React",
    measure: () => measureHostBytes(),
    show: showHostBytes,
  },
  startup: {
    title: "Start-up: iframe inserted → ui/notifications/initialized (Rollup bundles, inlined)",
    measure: (browser) => measureStartup(browser, number("BENCH_STARTS", 30)),
    show: showStartup,
  },
  roundtrips: {
    title: "Round trip of tools/call: view → host page → view",
    measure: (browser) => measureRoundtrips(browser, number("BENCH_ROUNDS", 16)),
    show: showRoundtrips,
  },
  mount: {
    title: "One app in a host: click → result in the view",
    measure: (_, quiet) => measureMount(quiet, number("BENCH_MOUNTS", 6)),
    show: showMount,
  },
  fifty: {
    title: "Fifty apps in one page: a long conversation, opened at its end",
    measure: (_, quiet) => measureFifty(quiet, number("BENCH_FIFTIES", 2)),
    show: showFifty,
  },
  many: {
    title: "10, 50, 200 and 1,000 apps of twenty servers in one page",
    measure: (_, quiet) => measureMany(quiet),
    show: showMany,
  },
  "host-roundtrips": {
    title: "Round trip of tools/call through a whole host: view → sandbox → bridge → view",
    measure: (_, quiet) => measureHostRoundtrips(quiet, number("BENCH_HOST_ROUNDS", 10)),
    show: showHostRoundtrips,
  },
  gateway: {
    title: "Tool call of 1 KB over stdio, through the gateway, its guard and its audit log on disk",
    measure: () => measureGatewayRoundtrips(number("BENCH_GATEWAY_ROUNDS", 20)),
    show: showGatewayRoundtrips,
  },
  "gateway-views": {
    title: "Many views at the gateway, and one that floods",
    measure: () => measureViews(),
    show: showViews,
  },
  "gateway-neighbours": {
    title: "A call of one user, alone and beside another user who floods",
    measure: () => measureNeighbours(),
    show: showNeighbours,
  },
  "gateway-idle": {
    title: "Memory of the gateway for each of 10,000 idle connections",
    measure: () => measureIdle(),
    show: showIdle,
  },
  "gateway-forward": {
    title: "Two nodes: a call through the node that has the user, and through another one",
    measure: () => measureForward(number("BENCH_FORWARD_ROUNDS", 10)),
    show: showForward,
  },
  "gateway-nodes": {
    title: "One, two and three nodes of one database: calls a second, and processor time of a call",
    measure: () => measureNodes(number("BENCH_NODES_SECONDS", 10)),
    show: showNodes,
  },
  "gateway-isolation": {
    title: "An official server over stdio: start → answer to initialize",
    measure: () => measureIsolation(number("BENCH_STARTS_ISOLATED", 20)),
    show: showIsolation,
  },
  servers: {
    title: "A server with twenty tools and views, behind the official client",
    measure: () => measureServers(number("BENCH_SERVERS", 8)),
    show: showServers,
  },
  workbench: {
    title: "The workbench: from the command to an app in use; and with twenty apps",
    measure: () => measureWorkbench(),
    show: showWorkbench,
  },
  reload: {
    title: "A view is saved: until the new one is in the workbench, with the data of the one before",
    measure: (browser) => measureReload(browser, number("BENCH_SAVES", 20)),
    show: showReload,
  },
  conversation: {
    title: "A conversation with a model: partial input, tokens, and a hundred turns with twenty apps",
    measure: (_, quiet) => measureConversation(quiet, number("BENCH_PARTIALS", 20)),
    show: showConversation,
  },
  "thousand-turns": {
    title: "A conversation of a thousand turns with Markdown: scrolling and typing",
    measure: (_, quiet) => measureThousandTurns(quiet),
    show: showThousandTurns,
  },
  inspector: {
    title: "The inspector with 100,000 messages",
    measure: () => measureInspector(),
    show: showInspector,
  },
  large: {
    title: "Large tool results: host → view",
    measure: (_, quiet) => measureLarge(quiet, number("BENCH_LARGE", 3)),
    show: showLarge,
  },
};
/** Expectations for the gateway, conversations, and servers. */
const EXPECTATIONS = {
  many: manyShortfalls,
  conversation: conversationShortfalls,
  "thousand-turns": thousandTurnsShortfalls,
  reload: reloadShortfalls,
  workbench: workbenchShortfalls,
  servers: serverShortfalls,
  gateway: gatewayShortfalls,
  "gateway-views": viewsShortfalls,
  "gateway-neighbours": neighbourShortfalls,
  "gateway-idle": idleShortfalls,
  "gateway-forward": forwardShortfalls,
  "gateway-isolation": isolationShortfalls,
};
/** A separate measurement program; runs only when named. */
const RESIZE = join(ROOT, "bench/resize-layouts.mjs");
const INHERIT = { stdio: "inherit", cwd: ROOT };
const RESULTS = join(ROOT, "bench/results");

function number(variable, otherwise) {
  const value = Number(process.env[variable] ?? otherwise);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable} must be a whole number above 0`);
  return value;
}

/** The environment of the measurement. */
const machine = (browser) => ({
  date: new Date().toISOString(),
  node: process.version,
  chromium: browser.version(),
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"} (${process.arch})`,
  load: loadavg()[0],
  packages: Object.fromEntries(
    ["@vitrine/view", "ext-apps-1", "@modelcontextprotocol/ext-apps", "esbuild", "rollup", "zod"].map(
      (name) => [name, versionOf(name)],
    ),
  ),
});

/** Runs the sections of these names, or all. */
export async function main(names) {
  const unknown = names.filter((name) => !Object.hasOwn(SECTIONS, name) && name !== "resize");
  if (unknown.length)
    throw new Error(`no section ${unknown.join(", ")}: ${Object.keys(SECTIONS).join(", ")}`);
  const sections = Object.keys(SECTIONS).filter((name) => names.length === 0 || names.includes(name));
  if (sections.length) await runSections(sections);
  if (!existsSync(RESIZE)) return;
  if (names.includes("resize")) process.exitCode = spawnSync(process.execPath, [RESIZE], INHERIT).status;
  else console.log("Auto-resize takes minutes of its own: node bench/run.mjs resize");
}

async function runSections(names) {
  const browser = await launch();
  const quiet = await launchQuiet();
  try {
    const results = { machine: machine(browser) };
    const { node, chromium, cpu, load } = results.machine;
    console.log(`Node ${node}, Chromium ${chromium}, ${cpu}, load ${load.toFixed(1)}`);
    for (const name of names) {
      const { title, measure, show } = SECTIONS[name];
      const began = performance.now();
      results[name] = await measure(browser, quiet);
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      console.log(`\n${title} (measured in ${seconds} s)\n\n${show(results[name])}`);
    }
    results.machine.loadAfter = loadavg()[0];
    if (Math.max(load, results.machine.loadAfter) > cpus().length) {
      console.log(
        "\nOther programs kept the machine busy: p99 and absolute times are theirs as much as ours.",
      );
    }
    results.shortfalls = [
      ...shortfalls(results),
      ...Object.entries(EXPECTATIONS).flatMap(([name, short]) => (results[name] ? short(results[name]) : [])),
    ];
    console.log(`\n${results.shortfalls.join("\n") || "Every expectation is met."}`);
    if (names.length < Object.keys(SECTIONS).length) return;
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, "latest.json"), `${JSON.stringify(results, null, 2)}\n`);
    console.log("\nWritten: bench/results/latest.json");
  } finally {
    await quiet.close();
    await browser.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
