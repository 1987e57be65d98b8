/**
 * The promises of docs/gateway/faults.md, checked against the facts of a run: one node or many, whatever failed meanwhile.
 *
 * @module
 */
import type { ClientCall, RecordedEntry, RunFacts, SeenItem } from "./facts.ts";

/** Everything that contradicts the promises. Empty if all were kept. */
export const violations = (facts: RunFacts): string[] => [
  ...wrongAnswers(facts),
  ...wrongEffects(facts),
  ...wrongRows(facts),
  ...wrongConversations(facts),
  ...(facts.verified.ok === true ? [] : [`the chain is broken: ${JSON.stringify(facts.verified)}`]),
  ...facts.orphans.map((pid) => `process ${pid} is an orphan`),
];

/** Every call has an outcome, and the outcome is true. */
function wrongAnswers({ calls, effects }: RunFacts): string[] {
  const counts = countsOf(effects.map(({ key }) => key));
  return calls.flatMap((call) => {
    const { end, by } = call;
    const count = counts.get(call.key) ?? 0;
    if (end === undefined) return [`${nameOf(call)} has no outcome`];
    if (end === "wrong answer") return [`${nameOf(call)} got the answer of another call`];
    // In a conversation, only the entry is acknowledged.
    const isDirect = by === "program" || by === "page";
    if (end === "ok") return isDirect && count === 0 ? [`${nameOf(call)} was acknowledged, and is lost`] : [];
    return end !== "indeterminate" && call.mayHaveRun !== true && count > 0
      ? [`${nameOf(call)} ended with ${end}, as if it had not run, and ran`]
      : [];
  });
}

/** No call runs twice, and none runs before its entry is in the log. */
function wrongEffects({ calls, effects, entries }: RunFacts): string[] {
  const found: string[] = [];
  const known = new Map(calls.map((call) => [call.key, call]));
  const recorded = groupBy(entries, ({ key }) => key);
  for (const [key, count] of countsOf(effects.map((effect) => effect.key)))
    if (count > 1) found.push(`${nameOf(known.get(key), key)} ran ${count} times`);
  for (const { key, at } of effects) {
    const call = known.get(key);
    if (!call) found.push(`${key} ran, and nobody called it`);
    const own = recorded.get(key) ?? [];
    if (own.length === 0) found.push(`${nameOf(call, key)} ran without an entry in the audit log`);
    else if (!own.some((entry) => isBefore(entry, at)))
      found.push(`${nameOf(call, key)} ran before its entry was in the audit log`);
  }
  return found;
}

/** Every entry has one outcome, which does not deny an effect. */
function wrongRows({ effects, entries, outcomes }: RunFacts): string[] {
  const found: string[] = [];
  const ends = groupBy(outcomes, ({ of }) => of);
  for (const { seq, key } of entries) {
    const count = ends.get(seq)?.length ?? 0;
    if (count !== 1) found.push(`entry ${seq} of ${key ?? "no call"} has ${count} outcomes`);
  }
  const ran = new Set(effects.map(({ key }) => key));
  for (const [key, own] of groupBy(entries, (entry) => entry.key)) {
    if (key === undefined) continue;
    const all = own.flatMap(({ seq }) => ends.get(seq) ?? []);
    if (ran.has(key) && all.length > 0 && all.every(({ outcome }) => outcome === "cancelled"))
      found.push(`${key} ran, and the audit log says that it did not`);
    const oks = all.filter(({ outcome }) => outcome === "ok").length;
    if (oks > 1) found.push(`${key} succeeded ${oks} times, according to the audit log`);
  }
  return found;
}

/** Every acknowledged entry is in its conversation, which is over, and tells of each effect. */
function wrongConversations({ calls, effects, conversations }: RunFacts): string[] {
  const found: string[] = [];
  const ran = new Set(effects.map(({ key }) => key));
  const items = new Map<string, SeenItem[]>();
  for (const { id, isRunning, items: own } of conversations) {
    if (isRunning) found.push(`conversation ${id} is running, and nothing happens in it`);
    for (const item of own) {
      if (item.state === "running" || item.state === "writing" || item.state === "streaming")
        found.push(`entry ${item.id} of conversation ${id} is ${item.state} for ever`);
      if (item.key !== undefined) items.set(item.key, [...(items.get(item.key) ?? []), item]);
      if (item.key !== undefined && item.state === "done" && !ran.has(item.key))
        found.push(`${item.key} is done according to conversation ${id}, and did not run`);
    }
  }
  const stored = new Set(
    conversations.flatMap(({ id, items: own }) => own.map((item) => `${id} ${item.id}`)),
  );
  for (const call of calls) {
    if (call.by !== "person" && call.by !== "model") continue;
    const { entry } = call;
    if (entry && !stored.has(`${entry.conversation} ${entry.item}`))
      found.push(
        `${nameOf(call)} was acknowledged, and its entry is not in conversation ${entry.conversation}`,
      );
    const own = items.get(call.key) ?? [];
    if (own.length > 1) found.push(`${nameOf(call)} is in its conversation ${own.length} times`);
    if (!ran.has(call.key)) continue;
    if (own.length === 0) found.push(`${nameOf(call)} ran, and its conversation does not have it`);
    else if (!own.some(({ state, isIndeterminate }) => state === "done" || isIndeterminate === true))
      found.push(`${nameOf(call)} ran, and its conversation says that it did not`);
  }
  return found;
}

/**
 * Effects have times in whole milliseconds. An entry without a time of its commit counts as earlier: only its existence is
 * known.
 */
const isBefore = ({ committedAt }: RecordedEntry, at: number): boolean =>
  committedAt === undefined || Math.floor(committedAt) <= at;

const nameOf = (call: ClientCall | undefined, key = call?.key): string =>
  call ? `${key} (${call.by}, ${call.end ?? "pending"})` : `${key}`;

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
