/**
 * Our expectations, and a line with the measured numbers for each ratio that falls short.
 *
 * @module
 */
import { hostShortfalls } from "./hosts/shortfalls.mjs";
import { ms, times } from "./statistics.mjs";

/** Minimum ratios of official ÷ ours. */
export const EXPECTED = { bytes: 20, startup: 2, roundtrips: 2 };

/** Returns one line for each expectation that is not met. The full runtime (`App`) must meet them as well. */
export function shortfalls({ bytes, startup = {}, roundtrips = {}, ...hosts }) {
  return [
    ...(bytes ? bytesShort(bytes) : []),
    ...Object.entries(startup).flatMap(([situation, result]) =>
      timesShort(`start-up, ${situation} process`, EXPECTED.startup, result),
    ),
    ...Object.entries(roundtrips).flatMap(([situation, { small }]) =>
      timesShort(`round trip, ${situation}`, EXPECTED.roundtrips, small),
    ),
    ...hostShortfalls(hosts),
  ];
}

function bytesShort({ rows, ratios }) {
  const label = labels(rows);
  return ratios.flatMap(({ official, ours, ...byBundler }) =>
    Object.entries(byBundler)
      .filter(([, ratio]) => ratio < EXPECTED.bytes)
      .map(
        ([bundler, ratio]) =>
          `short of ${EXPECTED.bytes}×: bytes with ${bundler}, ${label(official)} ÷ ${label(ours)} = ${times(ratio)}${why(bundler, ours)}`,
      ),
  );
}

/** Explains why our bundle is not smaller, or the official one not bigger. */
const why = (bundler, ours) =>
  [
    bundler === "rollup" && "Rollup drops more of the official SDK than esbuild does",
    ours === "app" && "`App` is one class, so it is bundled whole, see decision 002",
  ]
    .filter(Boolean)
    .map((reason) => `; ${reason}`)
    .join("");

function timesShort(what, expected, { rows, ratios }) {
  const label = labels(rows);
  const rowOf = (id) => rows.find((row) => row.id === id);
  const p50 = (id) => rowOf(id).p50;
  return ratios
    .filter((entry) => entry.p50 < expected)
    .map(({ official, ours, ...entry }) => {
      const floorId = rowOf(ours).floor ?? "floor";
      const floor = p50(floorId);
      const share = Math.round((floor / p50(ours)) * 100);
      return (
        `short of ${expected}×: ${what}, ${label(official)} ÷ ${label(ours)} = ${times(entry.p50)}; ` +
        `${label(floorId)} takes ${ms(floor)}, ${share} % of our ${ms(p50(ours))}; ` +
        (entry.aboveFloor === null
          ? "we are at that floor"
          : `above it the ratio is ${times(entry.aboveFloor)}`)
      );
    });
}

const labels = (rows) => (id) => rows.find((row) => row.id === id).label;
