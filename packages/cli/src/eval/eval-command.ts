/**
 * `vitrine eval`: asks models the sentences of a file, and reports how often the answers are as expected.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { GatewaySettings } from "@vitrine/gateway";
import type { Browser } from "playwright-core";
import { surroundings } from "../config-places.js";
import { devSettings } from "../dev-settings.js";
import { EXIT, told } from "../exit.js";
import { save } from "../render/app-page.js";
import { interruptible } from "../signals.js";
import type { Terminal } from "../terminal.js";
import { FileTrust } from "../trust/file-trust.js";
import { readEvalFile } from "./eval-file.js";
import { checkKeys, type EvalOptions, type EvalPlan, needsApps, planOf } from "./eval-plan.js";
import { type EvalReport, type RunReport, reportOf } from "./eval-report.js";
import { type RunOutcome, runCase } from "./eval-run.js";
import { junitXml } from "./junit.js";
import { printReport } from "./print-report.js";
import { RecordingFolder } from "./recordings.js";

/** Replacements for tests. */
export interface EvalSurroundings {
  /** A shared browser. */
  readonly browser?: Browser | undefined;
  /** The folder with the built pages. */
  readonly pages?: string | undefined;
}

/**
 * Runs the cases of a file. Returns the exit code: 0 if every rate is high enough and every run was judged, 1 if not, and that
 * of the signal if it was interrupted.
 */
export async function evalCommand(
  file: string,
  servers: readonly string[],
  options: EvalOptions,
  terminal: Terminal,
  given: EvalSurroundings = {},
): Promise<number> {
  const startedAt = Date.now();
  const parsed = readEvalFile(await readFile(file, "utf8"), file);
  return interruptible(async (signal) => {
    const at = surroundings();
    const trust = new FileTrust({ terminal, at, data: options.data, signal });
    const tell = (sentence: string): void => terminal.note(terminal.dim(sentence, "err"));
    const { settings } = await devSettings(servers, options, at, trust, tell);
    const plan = planOf(parsed, options, settings.model.use);
    checkKeys(plan, settings.model.providers);
    const folder =
      options.recordings === undefined ? undefined : await RecordingFolder.open(options.recordings);
    const work = new EvalWork({ plan, settings, terminal, folder, signal, given });
    try {
      await work.all();
    } finally {
      await work.close();
    }
    const report = reportOf(plan, work.done, {
      file,
      interrupted: signal.aborted,
      time: Date.now() - startedAt,
    });
    await write(report, options, terminal);
    if (signal.aborted) return told(signal.reason)?.exit ?? EXIT.interrupted;
    return report.ok ? EXIT.ok : EXIT.failed;
  });
}

async function write(report: EvalReport, { junit, json }: EvalOptions, terminal: Terminal): Promise<void> {
  if (json) terminal.json(report);
  else printReport(terminal, report);
  if (junit !== undefined) await save(junit, junitXml(report));
}

interface EvalWorkOptions {
  readonly plan: EvalPlan;
  readonly settings: GatewaySettings;
  readonly terminal: Terminal;
  readonly folder: RecordingFolder | undefined;
  readonly signal: AbortSignal;
  readonly given: EvalSurroundings;
}

/** All runs of a plan, several at a time. */
class EvalWork {
  readonly #options: EvalWorkOptions;
  /** The runs so far, by cell. */
  readonly done: RunReport[][];
  #browser: Promise<Browser> | undefined;

  constructor(options: EvalWorkOptions) {
    this.#options = options;
    this.done = options.plan.cells.map(() => []);
  }

  /** Resolves when all runs are done, or after an interruption those that had begun have ended. */
  async all(): Promise<void> {
    const { plan, terminal, signal } = this.#options;
    // Every case once before any twice: an interrupted command has something of each.
    const jobs = Array.from({ length: plan.runs }, (_, at) =>
      plan.cells.map((_cell, cell) => ({ cell, run: at + 1 })),
    ).flat();
    const count = jobs.length;
    const waiting = process.stderr.isTTY ? terminal.waiting(`0 of ${count} runs`) : undefined;
    const worker = async (): Promise<void> => {
      for (let job = jobs.shift(); job && !signal.aborted; job = jobs.shift()) {
        const report = await this.#run(job.cell, job.run);
        if (report) this.done[job.cell]?.push(report);
        waiting?.say(`${this.done.flat().length} of ${count} runs`);
      }
    };
    try {
      const workers = Array.from({ length: Math.min(plan.concurrency, count) }, worker);
      const ended = await Promise.allSettled(workers);
      for (const each of ended) if (each.status === "rejected") throw each.reason;
    } finally {
      waiting?.end();
    }
  }

  async close(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    if (browser && browser !== this.#options.given.browser) await browser.close();
  }

  /** Undefined if it was interrupted. */
  async #run(at: number, run: number): Promise<RunReport | undefined> {
    const { plan, settings, folder, signal, given } = this.#options;
    const cell = plan.cells[at];
    if (!cell) return undefined;
    const { evalCase, model } = cell;
    let outcome: RunOutcome;
    try {
      outcome = await runCase({
        evalCase,
        model,
        settings,
        allow: plan.allow,
        timeout: evalCase.timeout ?? plan.timeout,
        hasApps: plan.apps || needsApps(evalCase),
        browser: () => this.#launched(),
        pages: given.pages,
        isRecorded: folder !== undefined,
        signal,
      });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
    const recording = await folder?.write(cell, run, outcome);
    const { items: _items, apps: _apps, ...facts } = outcome;
    return { run, ...facts, ...(recording !== undefined && { recording }) };
  }

  /** The browser of all runs, started when the first one shows an app. */
  #launched(): Promise<Browser> {
    const { browser } = this.#options.given;
    this.#browser ??= browser
      ? Promise.resolve(browser)
      : import("../render/browser.js").then(({ launchBrowser }) => launchBrowser());
    return this.#browser;
  }
}
