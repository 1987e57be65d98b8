/**
 * Decides whether a conversation is as expected.
 *
 * @module
 */
import { CliError } from "../exit.js";
import type { Expectations, ExpectedApp } from "./eval-schema.js";
import type { Evidence, ShownApp } from "./evidence.js";
import { callReasons } from "./expected-calls.js";
import { shortJson } from "./match-arguments.js";
import { nameOf } from "./tool-names.js";

/** Milliseconds that a shown app gets to show something, and between looks. */
const APP_TIMEOUT = 5_000;
const LOOK = 200;

/**
 * The reasons why it is not as expected; none if it is.
 *
 * @throws {CliError} `cost-unknown`, `tokens-unknown` if a limit cannot be checked
 */
export async function judge(
  expect: Expectations,
  evidence: Evidence,
  appTimeout: number = APP_TIMEOUT,
): Promise<string[]> {
  const apps: string[] = [];
  for (const each of expect.app ?? []) {
    const reason = await appReason(each, evidence.apps, appTimeout);
    if (reason !== undefined) apps.push(reason);
  }
  return [
    ...callReasons(expect, evidence.calls),
    ...answerReasons(expect.answer, evidence.answer),
    ...apps,
    ...limitReasons(expect["at-most"], evidence),
  ];
}

/** For comparison: one kind of space, and one case. */
const plain = (text: string): string => text.replace(/\s+/g, " ").toLowerCase();

function answerReasons(answer: Expectations["answer"], text: string): string[] {
  const { contains = [], lacks = [], matches = [] } = answer ?? {};
  const said = plain(text);
  const shown = text.trim() === "" ? "it is empty" : `it is ${shortJson(text)}`;
  return [
    ...contains
      .filter((each) => !said.includes(plain(each)))
      .map((each) => `the answer does not contain ${JSON.stringify(each)}; ${shown}`),
    ...lacks
      .filter((each) => said.includes(plain(each)))
      .map((each) => `the answer contains ${JSON.stringify(each)}`),
    ...matches
      .filter((each) => !each.test(text))
      .map(({ source }) => `the answer does not match /${source}/; ${shown}`),
  ];
}

function limitReasons(limits: Expectations["at-most"], { calls, usage, time }: Evidence): string[] {
  const { calls: mostCalls, tokens, cost, time: longest } = limits ?? {};
  const reasons: string[] = [];
  if (mostCalls !== undefined && calls.length > mostCalls)
    reasons.push(`${calls.length} tools were called, and at most ${mostCalls} are expected`);
  if (tokens !== undefined) {
    const { input, output } = usage;
    if (input === undefined || output === undefined)
      throw unknown("tokens-unknown", "the provider does not report tokens", "at-most.tokens");
    if (input + output > tokens)
      reasons.push(`${input + output} tokens were used, and at most ${tokens} are expected`);
  }
  if (cost !== undefined) {
    if (usage.cost === undefined)
      throw unknown("cost-unknown", "the price of the model is not known", "at-most.cost");
    if (usage.cost > cost)
      reasons.push(`it cost $${usage.cost.toFixed(6)}, and at most $${cost} is expected`);
  }
  if (longest !== undefined && time > longest)
    reasons.push(`it took ${(time / 1_000).toFixed(1)} s, and at most ${longest / 1_000} s are expected`);
  return reasons;
}

const unknown = (code: string, why: string, key: string): CliError =>
  new CliError(code, `${key} cannot be checked: ${why}; remove it for this model`);

/** Looks at the apps until one is as expected, or for some seconds. */
async function appReason(
  expected: ExpectedApp,
  apps: readonly ShownApp[],
  timeout: number,
): Promise<string | undefined> {
  const { tool } = expected;
  const meant = apps.filter((app) => tool === undefined || nameOf(app) === tool);
  if (meant.length === 0) return `no app${tool === undefined ? "" : ` of ${tool}`} was shown`;
  const deadline = Date.now() + timeout;
  for (;;) {
    const reasons = await Promise.all(meant.map((app) => differenceOf(expected, app)));
    if (reasons.includes(undefined)) return undefined;
    // The newest app is the one that the user looks at.
    if (Date.now() >= deadline) return reasons.at(-1);
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

async function differenceOf(
  { text = [], "no-text": lacks = [], role, name }: ExpectedApp,
  app: ShownApp,
): Promise<string | undefined> {
  const its = `the app of ${nameOf(app)}`;
  const problem = await app.problem();
  if (problem !== undefined) return `${its} does not work: ${problem}`;
  const shown = await app.text();
  if (shown === undefined) return `${its} does not respond`;
  const seen = plain(shown);
  const missing = text.find((each) => !seen.includes(plain(each)));
  if (missing !== undefined)
    return `${its} does not show ${JSON.stringify(missing)}; it shows ${shortJson(shown)}`;
  const unwanted = lacks.find((each) => seen.includes(plain(each)));
  if (unwanted !== undefined) return `${its} shows ${JSON.stringify(unwanted)}`;
  if (role === undefined || (await app.has(role, name))) return undefined;
  return `${its} has no ${role}${name === undefined ? "" : ` named ${JSON.stringify(name)}`}`;
}
