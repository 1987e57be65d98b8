/**
 * The time from a click until an app's view has the tool's result, by the view's own clock. A click calls
 * the tool. The peers' hosts read the app's resource then; ours has it registered and its proxy ready, as a
 * host does when a server is connected. Ours is also measured with the app itself started, as when the model
 * is already writing the call, and with nothing prepared at all. Every sample has its own browser context.
 *
 * @module
 */
import { ms, quantile, ratio, shuffled, table, times } from "../statistics.mjs";
import { COLD, HOSTS, OFFICIAL, openSite, STARTED } from "./site.mjs";
import { openHost } from "./stage.mjs";

/** Every app, our own last. */
export const APPS = [...OFFICIAL, "view"];
/** No new round after this many milliseconds: a busy machine gets fewer samples, not a longer run. */
const PATIENCE = 80_000;
const SUBJECTS = [...HOSTS, STARTED, COLD];

/** Measures all contenders in turn, `rounds` times. */
export async function measureMount(browser, rounds = 6) {
  const site = await openSite();
  const samples = {};
  try {
    const deadline = Date.now() + PATIENCE;
    // An extra round: the first is discarded.
    for (let round = 0; round <= rounds && (round < 3 || Date.now() < deadline); round++) {
      for (const app of APPS) {
        for (const host of shuffled(SUBJECTS)) {
          const time = await mountOnce(browser, site, host, app);
          if (round > 0) ((samples[app] ??= {})[host.id] ??= []).push(time);
        }
      }
    }
  } finally {
    await site.close();
  }
  return Object.fromEntries(Object.entries(samples).map(([app, byId]) => [app, summarise(byId)]));
}

async function mountOnce(browser, site, host, app) {
  const stage = await openHost(browser, site, host, [app]);
  try {
    const began = await stage.call("click", app);
    const [{ at }] = await stage.until("result");
    return at - began;
  } finally {
    await stage.close();
  }
}

function summarise(byId) {
  const rows = SUBJECTS.map(({ id, side, label }) => ({
    id,
    side,
    label,
    n: byId[id].length,
    p50: quantile(byId[id], 0.5),
    least: Math.min(...byId[id]),
  }));
  const [ours] = rows;
  const ratios = rows
    .filter(({ side }) => side === "official")
    .map((peer) => ({
      official: peer.id,
      ours: "ours",
      p50: ratio(peer.p50, ours.p50),
      least: ratio(peer.least, ours.least),
    }));
  return { rows, ratios };
}

/** The result as text. */
export function showMount(result) {
  return Object.entries(result)
    .map(([app, { rows, ratios }]) =>
      table(
        [app, "n", "p50", "least", "÷ours", "least ÷ours"],
        rows.map(({ id, label, n, p50, least }) => {
          const found = ratios.find(({ official }) => official === id);
          return [
            label,
            n,
            ms(p50),
            ms(least),
            found ? times(found.p50) : "",
            found ? times(found.least) : "",
          ];
        }),
      ),
    )
    .join("\n\n");
}
