/**
 * The duration of a view's `tools/call` that the host page answers at once, through a whole host: its
 * sandbox, its bridge, its checks. Our view has its own process; the peers have everything in one.
 *
 * @module
 */
import { ms, ratio, shuffled, summary, table, times } from "../statistics.mjs";
import { HOSTS, openSite } from "./site.mjs";
import { openHost } from "./stage.mjs";

/** Libraries of the view. Raw messages are the floor: only the host is left. */
const RUNTIMES = { "run-raw": "raw messages", "run-ours": "our View", "run-official": "the official App" };
const WARM_UP = 100;
const CALLS = 200;
const LEAST = 4;
/** No new round after this many milliseconds: a busy machine gets fewer samples, not a longer run. */
const PATIENCE = 25_000;

/** Measures all contenders in turn, `rounds` times. */
export async function measureHostRoundtrips(browser, rounds = 10) {
  const site = await openSite();
  const opened = [];
  const samples = {};
  try {
    for (const runtime of Object.keys(RUNTIMES)) {
      for (const host of HOSTS) {
        const stage = await openHost(browser, site, host, [runtime]);
        await stage.call("open", runtime);
        await stage.until("input");
        const run = (calls) => stage.call("run", calls);
        opened.push({ runtime, host, stage, run });
        await run(WARM_UP);
      }
    }
    const deadline = Date.now() + PATIENCE;
    for (let round = 0; round < rounds && (round < LEAST || Date.now() < deadline); round++) {
      for (const { runtime, host, run } of shuffled(opened))
        ((samples[runtime] ??= {})[host.id] ??= []).push(...(await run(CALLS)));
    }
  } finally {
    for (const { stage } of opened) await stage.close();
    await site.close();
  }
  return Object.fromEntries(
    Object.entries(samples).map(([runtime, byId]) => [RUNTIMES[runtime], summarise(byId)]),
  );
}

function summarise(byId) {
  const rows = HOSTS.map(({ id, side, label }) => ({ id, side, label, ...summary(byId[id]) }));
  const [ours] = rows;
  const ratios = rows
    .filter(({ side }) => side === "official")
    .map((peer) => ({
      official: peer.id,
      ours: "ours",
      p50: ratio(peer.p50, ours.p50),
      p99: ratio(peer.p99, ours.p99),
    }));
  return { rows, ratios };
}

/** The result as text. */
export function showHostRoundtrips(result) {
  return Object.entries(result)
    .map(([runtime, { rows, ratios }]) =>
      table(
        [`view of ${runtime}`, "n", "p50", "p99", "÷ours", "p99 ÷ours"],
        rows.map(({ id, label, n, p50, p99 }) => {
          const found = ratios.find(({ official }) => official === id);
          return [label, n, ms(p50), ms(p99), found ? times(found.p50) : "", found ? times(found.p99) : ""];
        }),
      ),
    )
    .join("\n\n");
}
