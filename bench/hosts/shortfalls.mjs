/**
 * Expectations for our host compared with the peers', and a line with the numbers for each one that is not
 * met.
 *
 * @module
 */
import { ms, times } from "../statistics.mjs";

/**
 * `mount`: peer ÷ ours, for third-party apps and for our own. `fifty`: the first on screen ÷ the same app
 * alone at most, all fifty peer ÷ ours at least, heap ours ÷ peer at most. `large`: ours ÷ the faster peer
 * at most, and milliseconds for which the page is blocked at most.
 */
export const EXPECTED = {
  mount: { others: 1.6, own: 4 },
  fifty: { first: 1.5, all: 2, heap: 1.02 },
  roundtrips: 1,
  large: { others: 0.6, own: 0.15, stall: 100 },
};

/** Returns one line for each expectation that is not met. */
export function hostShortfalls({ mount = {}, fifty, "host-roundtrips": roundtrips = {}, large = {} }) {
  return [
    ...Object.entries(mount).flatMap(([app, result]) => mountShort(app, result, mount)),
    ...(fifty ? fiftyShort(fifty) : []),
    ...Object.entries(roundtrips).flatMap(([runtime, result]) => roundtripShort(runtime, result)),
    ...Object.entries(large).flatMap(([situation, result]) => largeShort(situation, result)),
  ];
}

const rowOf = ({ rows }, id) => rows.find((row) => row.id === id);

function mountShort(app, result, all) {
  const expected = app === "view" ? EXPECTED.mount.own : EXPECTED.mount.others;
  const ours = rowOf(result, "ours").p50;
  // Our own view does almost nothing itself, so its time is the host's.
  const host = all.view ? rowOf(all.view, "ours").p50 : 0;
  return result.ratios
    .filter(({ p50 }) => p50 < expected)
    .map(({ official, p50 }) => {
      const peer = rowOf(result, official);
      const why =
        app === "view"
          ? `ours takes ${ms(ours)}, the peer ${ms(peer.p50)} with the same view and ${biggest(all, official)}`
          : `${ms(ours)} against ${ms(peer.p50)}; a view that does next to nothing takes ${ms(host)} in ours, so ${ms(ours - host)} is this app's start`;
      const started = rowOf(result, "started").p50;
      return (
        `short of ${expected}×: one app, ${app}, ${peer.label} ÷ ours = ${times(p50)}; ${why}; ` +
        `an app that was started before takes ${ms(started)} (${times(peer.p50 / started)})`
      );
    });
}

/** A peer's time with the apps that are written for it. */
const biggest = (all, id) =>
  Object.entries(all)
    .filter(([app]) => app !== "view")
    .map(([app, result]) => `${ms(rowOf(result, id).p50)} with ${app}`)
    .join(", ");

function fiftyShort({ rows, ratios }) {
  const ours = rows.find(({ id }) => id === "ours");
  const short = [];
  if (ours.first / ours.alone > EXPECTED.fifty.first)
    short.push(
      `over ${EXPECTED.fifty.first}×: fifty apps, the first on screen ÷ alone = ${times(ours.first / ours.alone)}; ` +
        `${ms(ours.first)} against ${ms(ours.alone)}, with ${ours.visible} on screen that start together`,
    );
  if (ours.before > 0)
    short.push(`out of order: ${ours.before} apps off screen had their result before the last on screen`);
  for (const { official, all, heap } of ratios) {
    const { label, all: peer, cpu } = rows.find(({ id }) => id === official);
    if (all < EXPECTED.fifty.all)
      short.push(
        `short of ${EXPECTED.fifty.all}×: fifty apps, all of them, ${label} ÷ ours = ${times(all)}; ` +
          `${ms(peer)} in one process against ${ms(ours.all)} in ${ours.processes}; ` +
          `the browser's processes worked for ${cpu.toFixed(1)} s there and for ${ours.cpu.toFixed(1)} s in ours, most of it ` +
          "the apps' own scripts, on two cores at most",
      );
    if (1 / heap > EXPECTED.fifty.heap)
      short.push(
        `heap: fifty apps, ours ÷ ${label} = ${times(1 / heap)}; ${ours.processes} processes have a heap each`,
      );
  }
  return short;
}

function roundtripShort(runtime, result) {
  const ours = rowOf(result, "ours");
  return result.ratios
    .filter(({ p50 }) => p50 < EXPECTED.roundtrips)
    .map(
      ({ official, p50 }) =>
        `slower: round trip of a view of ${runtime}, ${rowOf(result, official).label} ÷ ours = ${times(p50)}; ` +
        `${ms(ours.p50 - rowOf(result, official).p50)} more; ours crosses between processes twice, the peer, whose ` +
        "view can stop the page, never",
    );
}

function largeShort(situation, result) {
  return result.ratios.flatMap(({ ours: id, official, share }) => {
    const { label, p50, stall } = rowOf(result, id);
    const expected = id.startsWith("own") ? EXPECTED.large.own : EXPECTED.large.others;
    const peer = rowOf(result, official);
    const short = [];
    if (share > expected)
      short.push(
        `over ${expected}×: ${situation}, ${label} ÷ ${peer.label} = ${times(share)}; ${ms(p50)} against ${ms(peer.p50)}`,
      );
    if (stall > EXPECTED.large.stall)
      short.push(
        `over ${EXPECTED.large.stall} ms: ${situation}, ${label} stalls the page for ${ms(stall)}, ${peer.label} for ${ms(peer.stall)}`,
      );
    return short;
  });
}
