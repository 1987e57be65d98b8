/**
 * A simulation of the seconds after a node has died: pages reconnect, nodes claim its shards, sessions are restored.
 * Time is in milliseconds since the death. The back-off of pages is that of `connection.ts`, from its source.
 *
 * @module
 */
import { readFileSync } from "node:fs";

const SOURCE = new URL("../../packages/host/src/gateway/connection.ts", import.meta.url);

/** The back-off of pages, as the source has it. */
export function readBackOff(source = readFileSync(SOURCE, "utf8")) {
  const constant = (name) => {
    const [, text] = new RegExp(`^const ${name} = ([\\d_]+);`, "m").exec(source) ?? [];
    if (text === undefined) throw new Error(`connection.ts has no constant ${name}: change the simulation`);
    return Number(text.replaceAll("_", ""));
  };
  const has = (code) => {
    if (!source.includes(code))
      throw new Error(`connection.ts no longer has "${code}": change the simulation`);
  };
  has("Math.min(SHORTEST_WAIT * 2 ** this.#attempts++, LONGEST_WAIT)");
  has("wait *= 0.5 + Math.random() / 2;");
  return {
    shortest: constant("SHORTEST_WAIT"),
    longest: constant("LONGEST_WAIT"),
    socketFailures: constant("SOCKET_FAILURES"),
  };
}

/** Assumptions and measurements; docs/gateway/scale.md says which is which. */
export const DEFAULTS = {
  nodes: 3,
  sessions: 10_000,
  shards: 256,
  /** `killed`: connections break at once. `frozen`: they break when the proxy notices. */
  death: "killed",
  /** How long a lease lasts, and the time between renewals. */
  lease: 3000,
  renewal: 1000,
  /** Until the proxy closes the connections of a node that is frozen. */
  noticed: [2000, 3500],
  /** Time after which a node asks the database again about a shard that nobody may claim yet. */
  askAgain: 250,
  /** Processor time of a node for one connection: handshake, and for its owner restoring the session. */
  handshake: 0.6,
  restore: 1,
  /** Statements: of a claim, and to restore a session. */
  claimStatements: 4,
  restoreStatements: 3,
  /** Statements that the database executes in a second. */
  statements: 5000,
  /** Round trip between node and database. */
  roundTrip: 1,
  /**
   * The answer of a node to a page of a shard that nobody may claim yet: it refuses the connection, and the page comes back after
   * its pause; or it holds the connection until the lease has ended.
   */
  early: "refused",
  /** Whether nodes claim no more than their share, as long as others have less. */
  bounded: false,
  seed: 1,
};

/** A small generator of random numbers (mulberry32), so that each run has the same result. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The owners of all shards: whichever node gets the first request of one of its users, or a node with fewer. */
export function assignShards({ nodes, shards, bounded }, random) {
  const counts = new Array(nodes).fill(0);
  const share = Math.ceil(shards / nodes);
  return Array.from({ length: shards }, () => {
    let node = Math.floor(random() * nodes);
    while (bounded && counts[node] >= share) node = (node + 1) % nodes;
    counts[node]++;
    return node;
  });
}

/** A queue with one server: returns when work is done that arrives now. */
class Server {
  #free = 0;

  done(now, cost) {
    this.#free = Math.max(now, this.#free) + cost;
    return this.#free;
  }
}

/** Events by the millisecond. */
class Calendar {
  #slots = [];
  now = 0;

  at(time, event) {
    const slot = Math.max(Math.ceil(time), this.now);
    this.#slots[slot] ??= [];
    this.#slots[slot].push(event);
  }

  run() {
    for (; this.now < this.#slots.length; this.now++) {
      const events = this.#slots[this.now] ?? [];
      // An event may add others to its own millisecond.
      for (let index = 0; index < events.length; index++) events[index]();
      this.#slots[this.now] = undefined;
    }
  }
}

const bump = (counts, time, by = 1) => {
  const second = Math.floor(time / 1000);
  counts[second] = (counts[second] ?? 0) + by;
};
const peak = (counts) => counts.reduce((most, each) => Math.max(most, each ?? 0), 0);

/** Simulates the death of node 0. */
export function simulateStorm(options = {}) {
  const set = { ...DEFAULTS, ...options };
  const backOff = readBackOff();
  const random = randomOf(set.seed);
  const owners = assignShards(set, random);
  const calendar = new Calendar();
  const database = new Server();
  const processors = Array.from({ length: set.nodes }, () => new Server());
  const alive = () => 1 + Math.floor(random() * (set.nodes - 1));
  const leaseEnd = set.lease - random() * set.renewal;
  const dials = [];
  const statements = [];
  const times = [];
  /** When each node may ask again about a shard without an owner. */
  const asked = new Map();

  const ask = (count) => {
    bump(statements, calendar.now, count);
    return database.done(calendar.now, (count * 1000) / set.statements) + set.roundTrip;
  };
  const [early, late] = set.noticed;
  const broken = () => (set.death === "frozen" ? early + random() * (late - early) : 0);

  function lost(page, isDialled) {
    if (isDialled) page.failures = page.http ? 0 : page.failures + 1;
    const wasHttp = page.http;
    page.http = page.failures >= backOff.socketFailures;
    let wait = backOff.shortest;
    if (!page.http || wasHttp) wait = Math.min(backOff.shortest * 2 ** page.attempts++, backOff.longest);
    calendar.at(calendar.now + wait * (0.5 + random() / 2), () => dial(page));
  }

  function dial(page) {
    bump(dials, calendar.now);
    const node = alive();
    calendar.at(processors[node].done(calendar.now, set.handshake), () => hello(page, node));
  }

  function hello(page, node) {
    if (owners[page.shard] !== 0) return restore(page);
    if (set.early === "held" && calendar.now < leaseEnd)
      return calendar.at(leaseEnd, () => hello(page, node));
    const key = node * set.shards + page.shard;
    const until = asked.get(key) ?? 0;
    // Another request of this shard waits for the same claim, or has just learned that it is too early.
    if (until > calendar.now)
      return set.early === "held" ? calendar.at(calendar.now + 5, () => hello(page, node)) : lost(page, true);
    asked.set(key, calendar.now + set.askAgain);
    const isFree = calendar.now >= leaseEnd;
    calendar.at(ask(set.claimStatements), () => {
      if (isFree && owners[page.shard] === 0) owners[page.shard] = node;
      if (owners[page.shard] === 0) lost(page, true);
      else restore(page);
    });
  }

  function restore(page) {
    const owner = owners[page.shard];
    const isNew = page.ownerDied;
    const ready = isNew ? ask(set.restoreStatements) : calendar.now;
    calendar.at(ready, () => {
      const done = processors[owner].done(calendar.now, isNew ? set.restore : set.handshake);
      if (isNew) times.push(done);
    });
  }

  let affected = 0;
  for (let index = 0; index < set.sessions; index++) {
    const shard = Math.floor(random() * set.shards);
    const ownerDied = owners[shard] === 0;
    const entryDied = random() < 1 / set.nodes;
    if (!ownerDied && !entryDied) continue;
    affected++;
    const page = { shard, ownerDied, attempts: 0, failures: 0, http: false };
    calendar.at(broken(), () => lost(page, false));
  }
  // The survivors renew their leases as always; one of them takes the dead node's slot.
  for (let node = 1; node < set.nodes; node++) {
    for (let time = random() * set.renewal; time < 10_000; time += set.renewal)
      calendar.at(time, () => ask(1));
  }
  calendar.at(leaseEnd, () => ask(set.claimStatements));
  calendar.run();

  times.sort((a, b) => a - b);
  const quantile = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    affected,
    moved: times.length,
    leaseEnd,
    p50: quantile(0.5),
    p99: quantile(0.99),
    last: quantile(1),
    dialsPerSecond: peak(dials),
    statementsPerSecond: peak(statements),
  };
}
