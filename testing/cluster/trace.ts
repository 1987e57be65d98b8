/** Everything that is known about the calls of a run that broke a promise: for whoever looks for the cause. */
import type { ClientCall, RunFacts } from "./facts.ts";
import type { ClusterStage } from "./stage.ts";
import { violations } from "./violations.ts";

/** The violations of a stage, each with its call, effects, entries and outcomes. */
export async function traceOf(stage: ClusterStage): Promise<string> {
  const facts = await stage.facts();
  return violations(facts)
    .map((found) => [found, ...detailsOf(found, facts)].join("\n  "))
    .join("\n");
}

function detailsOf(found: string, { calls, effects, entries, outcomes }: RunFacts): string[] {
  const call = calls.find(({ key }) => found.startsWith(`${key} `));
  if (!call) return [];
  const own = entries.filter(({ key }) => key === call.key);
  const ends = outcomes.filter(({ of }) => own.some(({ seq }) => seq === of));
  return [
    `call ${timesOf(call)} ${JSON.stringify(call)}`,
    ...effects.filter(({ key }) => key === call.key).map(({ at }) => `effect at ${timeOf(at)}`),
    ...own.map(({ seq, committedAt = 0 }) => `entry ${seq} at ${timeOf(committedAt)}`),
    ...ends.map(({ of, outcome }) => `outcome of ${of}: ${outcome}`),
  ];
}

/** The calls of a user after a fault, as text: the client, when each began and ended after the fault, and its outcome. */
export const callsSince = (calls: readonly ClientCall[], user: string, from: number): string =>
  calls
    .filter((call) => call.user === user && (call.endedAt ?? from) >= from)
    .map(({ by, beganAt, endedAt = Number.NaN, end = "pending" }) => {
      const [began, ended] = [beganAt, endedAt].map((at) => `${((at - from) / 1000).toFixed(1)}`);
      return `${by} ${began}–${ended} ${end}`;
    })
    .slice(0, 8)
    .join(", ");

const timeOf = (at: number): string => new Date(at).toISOString();
const timesOf = ({ beganAt, endedAt = 0 }: { beganAt: number; endedAt?: number }): string =>
  `from ${timeOf(beganAt)} to ${timeOf(endedAt)}`;
