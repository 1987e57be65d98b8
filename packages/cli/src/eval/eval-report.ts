/**
 * The report of an eval: rates, tokens and costs of each case with each model. docs/eval.md describes its JSON.
 *
 * @module
 */
import type { EvalPlan } from "./eval-plan.js";
import type { RunOutcome } from "./eval-run.js";
import { type KnownUsage, type MadeCall, sum } from "./evidence.js";

/** A run in the report. */
export interface RunReport {
  /** From 1. */
  readonly run: number;
  readonly outcome: RunOutcome["outcome"];
  readonly reasons: readonly string[];
  readonly error?: RunOutcome["error"];
  readonly calls: readonly MadeCall[];
  readonly answer: string;
  /** Denied questions, with the entry of `allow` that would allow it. */
  readonly denied: RunOutcome["denied"];
  readonly usage: KnownUsage;
  /** Milliseconds. */
  readonly time: number;
  /** The file of the recording. */
  readonly recording?: string | undefined;
}

/** A case with a model. */
export interface CellReport {
  readonly case: string;
  readonly model: string;
  readonly passed: number;
  readonly failed: number;
  /** Runs that could not be judged. They do not count for the rate. */
  readonly errors: number;
  /** Runs that were not begun, because the command was interrupted. */
  readonly missing: number;
  /** `passed / (passed + failed)`; absent if no run was judged. */
  readonly rate?: number | undefined;
  /** Whether the rate is high enough, and every run was judged. */
  readonly ok: boolean;
  /** Of all runs together. */
  readonly usage: KnownUsage;
  /** Mean milliseconds of the judged runs; absent if there are none. */
  readonly time?: number | undefined;
  readonly runs: readonly RunReport[];
}

/** The whole report. */
export interface EvalReport {
  readonly ok: boolean;
  readonly interrupted: boolean;
  readonly file: string;
  readonly minRate: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly missing: number;
  readonly usage: KnownUsage;
  /** Milliseconds of the whole command. */
  readonly time: number;
  readonly results: readonly CellReport[];
}

/** Facts about the command. */
export interface EvalFacts {
  readonly file: string;
  readonly interrupted: boolean;
  readonly time: number;
}

/** Makes the report of the runs so far, by cell. */
export function reportOf(
  { cells, runs, minRate }: EvalPlan,
  done: readonly (readonly RunReport[])[],
  { file, interrupted, time }: EvalFacts,
): EvalReport {
  const results = cells.map(({ evalCase, model }, at): CellReport => {
    const made = [...(done[at] ?? [])].sort((a, b) => a.run - b.run);
    const count = (outcome: RunReport["outcome"]): number =>
      made.filter((each) => each.outcome === outcome).length;
    const [passed, failed, errors] = [count("passed"), count("failed"), count("error")];
    const judged = passed + failed;
    const rate = judged > 0 ? passed / judged : undefined;
    const missing = runs - made.length;
    const times = made.filter(({ outcome }) => outcome !== "error").map((each) => each.time);
    return {
      case: evalCase.name,
      model,
      passed,
      failed,
      errors,
      missing,
      ...(rate !== undefined && { rate }),
      ok: rate !== undefined && rate >= minRate && errors === 0 && missing === 0,
      usage: sum(made.map(({ usage }) => usage)),
      ...(times.length > 0 && { time: Math.round(times.reduce((a, b) => a + b, 0) / times.length) }),
      runs: made,
    };
  });
  const all = (key: "passed" | "failed" | "errors" | "missing"): number =>
    results.reduce((so, each) => so + each[key], 0);
  return {
    ok: !interrupted && results.every(({ ok }) => ok),
    interrupted,
    file,
    minRate,
    passed: all("passed"),
    failed: all("failed"),
    errors: all("errors"),
    missing: all("missing"),
    usage: sum(results.flatMap((each) => each.runs).map(({ usage }) => usage)),
    time,
    results,
  };
}
