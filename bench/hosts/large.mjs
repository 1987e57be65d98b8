/**
 * Large results: the time from the host's `sendToolResult` until the view's listener has the message, and
 * the longest time for which the host's page was blocked. Ours is measured with a third-party view and with
 * our own, with an object and with text as it came from the wire; the peers take objects.
 *
 * @module
 */
import { ms, quantile, ratio, shuffled, table, times } from "../statistics.mjs";
import { HOSTS, OFFICIAL, openSite } from "./site.mjs";
import { openHost } from "./stage.mjs";

const MB = 1e6;
const [ours, ...peers] = HOSTS;
const [thirdParty] = OFFICIAL;
const SUBJECTS = [
  { id: "third-object", host: ours, app: thirdParty, label: "Vitrine, third party's view, object" },
  { id: "third-text", host: ours, app: thirdParty, asText: true, label: "Vitrine, third party's view, text" },
  { id: "own-object", host: ours, app: "view", label: "Vitrine, own runtime, object" },
  { id: "own-text", host: ours, app: "view", asText: true, label: "Vitrine, own runtime, text" },
  ...peers.map((host) => ({
    id: host.id,
    host,
    app: thirdParty,
    label: `${host.label}, third party's view`,
  })),
];
/** Megabytes, and a share of the rounds: fifty megabytes take a peer ten seconds and more. */
const SIZES = [
  [1, 1],
  [10, 0.67],
  [50, 0.33],
];
const KINDS = ["text", "records"];

/** Measures all contenders in turn; `rounds` at the smallest size, fewer above. */
export async function measureLarge(browser, rounds = 3) {
  const site = await openSite();
  const result = {};
  try {
    for (const kind of KINDS) {
      for (const [size, share] of SIZES) {
        const samples = {};
        for (let round = 0; round < Math.max(1, Math.round(rounds * share)); round++) {
          for (const subject of shuffled(SUBJECTS))
            (samples[subject.id] ??= []).push(await sendOnce(browser, site, subject, kind, size * MB));
        }
        result[`${size} MB of ${kind}`] = summarise(samples);
      }
    }
  } finally {
    await site.close();
  }
  return result;
}

async function sendOnce(browser, site, { host, app, asText = false }, kind, bytes) {
  const stage = await openHost(browser, site, host, [app]);
  try {
    await stage.call("open", app);
    await stage.until("input");
    await stage.call("prepare", kind, bytes, asText);
    const began = await stage.call("send");
    const [{ at }] = await stage.until("result");
    return { time: at - began, stall: await stage.call("stall") };
  } finally {
    await stage.close();
  }
}

function summarise(samples) {
  const rows = SUBJECTS.map(({ id, host, label }) => ({
    id,
    side: host.side,
    label,
    n: samples[id].length,
    p50: quantile(
      samples[id].map(({ time }) => time),
      0.5,
    ),
    stall: quantile(
      samples[id].map(({ stall }) => stall),
      0.5,
    ),
  }));
  const official = rows.filter(({ side }) => side === "official");
  // Compared with the faster peer.
  const best = official.reduce((a, b) => (b.p50 < a.p50 ? b : a));
  const ratios = rows
    .filter(({ side }) => side === "ours")
    .map(({ id, p50 }) => ({
      ours: id,
      official: best.id,
      share: Math.round((p50 / best.p50) * 1000) / 1000,
      faster: ratio(best.p50, p50),
    }));
  return { rows, ratios };
}

/** The result as text. */
export function showLarge(result) {
  return Object.entries(result)
    .map(([situation, { rows, ratios }]) =>
      table(
        [situation, "n", "host → view", "of the best peer", "faster", "host page stalled"],
        rows.map(({ id, label, n, p50, stall }) => {
          const found = ratios.find((each) => each.ours === id);
          return [
            label,
            n,
            ms(p50),
            found ? `${found.share.toFixed(3)}×` : "",
            found ? times(found.faster) : "",
            ms(stall),
          ];
        }),
      ),
    )
    .join("\n\n");
}
