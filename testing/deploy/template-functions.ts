/**
 * The functions of Helm that the chart uses, with the same meaning. Any other one is an error.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { recordOf } from "@vitrine/protocol";
import { stringify } from "yaml";

type TemplateFunction = (...args: unknown[]) => unknown;

/** Go's idea of empty. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (typeof value === "object" && Object.keys(value).length === 0);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Values of the first one win, as in sprig. */
function merge(into: unknown, from: unknown): unknown {
  if (!isRecord(into) || !isRecord(from)) return into === undefined ? from : into;
  const merged = { ...into };
  for (const [key, value] of Object.entries(from)) merged[key] = merge(merged[key], value);
  return merged;
}

/** Go sorts the keys of maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

function pairs(words: unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at += 2) result[`${words[at]}`] = words[at + 1];
  return result;
}

const indent = (spaces: unknown, text: unknown): string =>
  `${text}`.replace(/^/gm, " ".repeat(Number(spaces)));

const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  add: (...numbers) => numbers.reduce((sum: number, each) => sum + Number(each), 0),
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  dict: (...words) => pairs(words),
  int: (value) => Math.trunc(Number(value)),
  merge,
  nindent: (spaces, text) => `\n${indent(spaces, text)}`,
  not: (value) => isEmpty(value),
  printf: (format, ...values) => `${format}`.replace(/%[sd]/g, () => `${values.shift()}`),
  quote: (value) => JSON.stringify(`${value}`),
  required: (message, value) => {
    if (isEmpty(value)) throw new Error(`${message}`);
    return value;
  },
  sha256sum: (text) => createHash("sha256").update(`${text}`).digest("hex"),
  toPrettyJson: (value) => JSON.stringify(sorted(value), null, 2),
  toYaml: (value) => stringify(sorted(value)).trimEnd(),
  urlParse: (text) => ({ host: URL.canParse(`${text}`) ? new URL(`${text}`).host : "" }),
};

/** Calls a function of the template. */
export function callFunction(name: string, args: unknown[]): unknown {
  const called: unknown = recordOf(FUNCTIONS)[name];
  if (typeof called !== "function" || !Object.hasOwn(FUNCTIONS, name)) {
    throw new Error(`the chart uses the function ${name}, which these tests do not know`);
  }
  return called(...args);
}
