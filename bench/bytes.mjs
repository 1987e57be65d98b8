/**
 * The number of bytes that the runtime adds to an app: the same minimal app, bundled with esbuild and with
 * Rollup.
 *
 * @module
 */
import { bytesOf, CONTENDERS, withEsbuild, withRollup } from "./contenders.mjs";
import { against, count, pairs, ratio, table } from "./statistics.mjs";

const BUNDLERS = { esbuild: withEsbuild, rollup: withRollup };
const WHOLE = { id: "whole", side: "whole", label: "Vitrine, whole surface" };

/** Measures every contender with every bundler. */
export async function measureBytes() {
  const subjects = [...CONTENDERS, { ...WHOLE, minimal: 'export * from "@vitrine/view";' }];
  const rows = [];
  for (const { id, side, label, minimal } of subjects) {
    const row = { id, side, label };
    for (const [name, bundle] of Object.entries(BUNDLERS)) row[name] = bytesOf(await bundle(minimal));
    rows.push(row);
  }
  const ratios = pairs(rows, (official, ours) => ({
    esbuild: ratio(official.esbuild.gzip, ours.esbuild.gzip),
    rollup: ratio(official.rollup.gzip, ours.rollup.gzip),
  }));
  return { rows, ratios };
}

/** The result as text. */
export function showBytes({ rows, ratios }) {
  return table(
    ["minimal app", "esbuild min", "gzip", "÷View", "÷App", "Rollup min", "gzip", "÷View", "÷App"],
    rows.map((row) => [
      row.label,
      ...Object.keys(BUNDLERS).flatMap((bundler) => [
        count(row[bundler].min),
        count(row[bundler].gzip),
        against(ratios, row, "view", bundler),
        against(ratios, row, "app", bundler),
      ]),
    ]),
  );
}
