/**
 * Documents of the templates: their bytes with everything included, and the time to write one.
 *
 * @module
 */
import { renderTemplate, TEMPLATES } from "@vitrine/server/templates";
import { bytesOf } from "../contenders.mjs";
import { count, ms, quantile, table } from "../statistics.mjs";

/** Maximum bytes of a document with the runtime in it, and maximum milliseconds to write it. */
export const EXPECTED = { bytes: 20_000, time: 1 };
const ROUNDS = 200;

/** Configurations of templates that need one. */
const CONFIGS = { wizard: { steps: [{ title: "Name", fields: [{ name: "name" }] }] } };

/**
 * Sizes of other products, measured once (November 2026), because they are not installed here. Bytes from
 * the smallest to the largest.
 */
const OTHERS = [
  {
    name: "mcp-bash, 6 templates, without the runtime",
    bytes: [7_719, 14_871],
    time: [636, 6_671],
  },
];

/** The time to write a new document: another title each time, because repeated ones come from a cache. */
function timeOf(template, config) {
  const samples = Array.from({ length: ROUNDS }, (_, at) => {
    const began = performance.now();
    renderTemplate(template, { ...config, title: `Measured ${at}` });
    return performance.now() - began;
  });
  return quantile(samples, 0.5);
}

/** Measures all templates. */
export function measureTemplates() {
  const rows = Object.values(TEMPLATES).map((template) => {
    const config = CONFIGS[template.name] ?? {};
    const { min: bytes, gzip } = bytesOf(renderTemplate(template, config));
    return { name: template.name, bytes, gzip, time: timeOf(template, config) };
  });
  rows.sort((a, b) => a.bytes - b.bytes);
  const middle = {
    name: "the median",
    ...Object.fromEntries(
      ["bytes", "gzip", "time"].map((what) => [
        what,
        quantile(
          rows.map((row) => row[what]),
          0.5,
        ),
      ]),
    ),
  };
  return { rows, middle, others: OTHERS };
}

export const showTemplates = ({ rows, middle, others }) =>
  table(
    ["document of a template", "bytes", "gzip", "to write it, p50"],
    [
      ...[...rows, middle].map(({ name, bytes, gzip, time }) => [name, count(bytes), count(gzip), ms(time)]),
      ...others.map(({ name, bytes, time }) => [
        name,
        bytes.map(count).join("–"),
        "",
        `${time.map(count).join("–")} ms`,
      ]),
    ],
  );

/** Returns one line for each expectation that is not met. */
export const templateShortfalls = ({ rows }) =>
  rows.flatMap(({ name, bytes, time }) => [
    ...(bytes > EXPECTED.bytes
      ? [`over ${count(EXPECTED.bytes)} bytes: the template ${name} has ${count(bytes)}`]
      : []),
    ...(time >= EXPECTED.time
      ? [`not under ${EXPECTED.time} ms: the template ${name} took ${ms(time)}`]
      : []),
  ]);
