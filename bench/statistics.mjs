/**
 * Formats numbers: quantiles, ratios, tables.
 *
 * @module
 */

/** The value below which a share of the samples lies. */
export function quantile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const mean = (samples) => samples.reduce((sum, each) => sum + each, 0) / samples.length;

/** Summary of a series of times. */
export const summary = (samples) => ({
  n: samples.length,
  p50: quantile(samples, 0.5),
  p99: quantile(samples, 0.99),
});

/** Shuffles, so that no contender always runs after the same one. */
export const shuffled = (list) =>
  list
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/** The ratio of the official value to ours; null if ours is too small to measure. */
export const ratio = (official, ours) => (ours > 0 ? Math.round((official / ours) * 100) / 100 : null);

/** Combines each pair of an official row and one of ours. */
export const pairs = (rows, about) =>
  rows
    .filter(({ side }) => side === "official")
    .flatMap((official) =>
      rows
        .filter(({ side }) => side === "ours")
        .map((ours) => ({ official: official.id, ours: ours.id, ...about(official, ours) })),
    );

/** The ratio for the row of an official contender; empty in other rows. */
export const against = (ratios, { id, side }, ours, measure) =>
  side === "official"
    ? times(ratios.find((entry) => entry.official === id && entry.ours === ours)[measure])
    : "";

export const times = (value) => `${value.toFixed(value < 10 ? 2 : 1)}×`;
export const ms = (value) => `${value.toFixed(value < 10 ? 3 : 1)} ms`;
export const count = (value) => value.toLocaleString("en-US");

/** Formats rows under headings, the first column left-aligned, the others right-aligned. */
export function table(headings, rows) {
  const all = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join("  ");
  return [line(headings), widths.map((width) => "─".repeat(width)).join("──"), ...all.slice(1).map(line)]
    .map((text) => `  ${text.trimEnd()}`)
    .join("\n");
}
