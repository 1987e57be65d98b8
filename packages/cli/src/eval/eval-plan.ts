/**
 * Combines the command line and the file to a plan: which cases, with which models, how often.
 *
 * @module
 */
import { KNOWN_PROVIDERS } from "@vitrine/gateway";
import { CliError, usage } from "../exit.js";
import type { ServerOptions } from "../server-argument.js";
import type { EvalCase, EvalFile } from "./eval-file.js";

/** Options of `vitrine eval`. */
export interface EvalOptions extends ServerOptions {
  readonly runs?: number | undefined;
  readonly model?: readonly string[] | undefined;
  /** Names of cases; `*` stands for any characters. */
  readonly only?: readonly string[] | undefined;
  readonly minRate?: number | undefined;
  readonly concurrency?: number | undefined;
  /** A file for the JUnit report. */
  readonly junit?: string | undefined;
  /** A folder for recordings. */
  readonly recordings?: string | undefined;
  readonly json?: boolean | undefined;
}

/** A case with a model: a row of the table. */
export interface Cell {
  readonly evalCase: EvalCase;
  readonly model: string;
}

/** The whole plan. */
export interface EvalPlan {
  readonly cells: readonly Cell[];
  readonly runs: number;
  readonly minRate: number;
  readonly concurrency: number;
  /** Milliseconds of a case that has no timeout of its own. */
  readonly timeout: number;
  readonly allow: readonly string[];
  /** Whether apps are shown in every case. */
  readonly apps: boolean;
}

const TIMEOUT = 120_000;

/**
 * @param fallback the model of the settings, if neither the command line nor the file names one
 * @throws {CliError} `usage`, `models-missing`
 */
export function planOf(file: EvalFile, options: EvalOptions, fallback: string | undefined): EvalPlan {
  const { model = [], only = [] } = options;
  const models = [...new Set(model.length > 0 ? model : file.models)];
  if (models.length === 0 && fallback !== undefined) models.push(fallback);
  if (models.length === 0)
    throw new CliError(
      "models-missing",
      "no model is named: write models into the file, or use --model provider/name, such as --model openai/gpt-5.4-mini",
    );
  const wrong = models.find((each) => !/^[^/\s]+\/\S+$/.test(each));
  if (wrong !== undefined) throw usage(`--model ${wrong}: write provider/model, such as openai/gpt-5.4-mini`);
  const cases = chosenCases(file.cases, only);
  return {
    cells: cases.flatMap((evalCase) => models.map((each) => ({ evalCase, model: each }))),
    runs: options.runs ?? file.runs ?? 1,
    minRate: options.minRate ?? file.minRate ?? 1,
    concurrency: options.concurrency ?? 1,
    timeout: file.timeout ?? TIMEOUT,
    allow: file.allow,
    apps: file.apps,
  };
}

/**
 * Checks that no model belongs to a known provider without a key: all its runs would fail.
 *
 * @throws {CliError} `model-key-missing`
 */
export function checkKeys({ cells }: EvalPlan, providers: ReadonlyMap<string, unknown>): void {
  const names = [...new Set(cells.map(({ model }) => model.slice(0, model.indexOf("/"))))];
  const missing = Object.entries(KNOWN_PROVIDERS).filter(
    ([name]) => names.includes(name) && !providers.has(name),
  );
  if (missing.length === 0) return;
  const steps = missing.map(([name, { variable }]) => `set ${variable} to a key of ${name}`);
  throw new CliError(
    "model-key-missing",
    `there is no key for ${missing.map(([name]) => name).join(" and ")}: ${steps.join(" and ")}, or choose other models with --model`,
  );
}

function chosenCases(cases: readonly EvalCase[], only: readonly string[]): readonly EvalCase[] {
  if (only.length === 0) return cases;
  const tests = only.map((written) => {
    const parts = written.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    return { written, test: new RegExp(`^${parts.join(".*")}$`, "isu") };
  });
  const without = tests.find(({ test }) => !cases.some(({ name }) => test.test(name)));
  if (without) {
    const names = cases.map(({ name }) => name).join(", ");
    throw usage(`--only ${without.written}: there is no such case; there are ${names}`);
  }
  return cases.filter(({ name }) => tests.some(({ test }) => test.test(name)));
}

/** Whether a case needs a browser: something is expected of an app. */
export const needsApps = ({ expect, turns }: EvalCase): boolean =>
  expect?.app !== undefined || turns.some((turn) => turn.expect?.app !== undefined);
