/**
 * The contract of every `Transport`, as functions without a test framework: the same code runs in Node and,
 * over real windows, ports and workers, in Chromium. Both ends are reached by promises, since they may be in
 * different realms.
 */
import type { Transport } from "../packages/protocol/src/transport.js";

/** An end of a transport under test, in any realm. */
export interface Remote {
  start(): Promise<void>;
  /** Sends messages in one task; resolves with how many were received in this realm before it ended. */
  send(messages: unknown[]): Promise<number>;
  /** Sends a value that cannot be cloned; resolves with the name of the error. */
  sendUncloneable(): Promise<string>;
  /** Answers, from inside `receive`, each message `n` with `n + 1000`. */
  echo(): Promise<void>;
  received(): Promise<unknown[]>;
  /** Number of calls of `closed`. */
  closed(): Promise<number>;
  close(): Promise<void>;
  /** How many listeners the transport has added and not removed. */
  listeners(): Promise<number>;
}

/** How many messages all ends in this realm have received. */
let receivedHere = 0;

/** An end in this realm. */
export class End implements Remote {
  readonly #transport: Transport;
  readonly #received: unknown[] = [];
  readonly #listeners: () => number;
  #closed = 0;
  #echoes = false;

  constructor(transport: Transport, listeners: () => number = () => 0) {
    this.#transport = transport;
    this.#listeners = listeners;
  }

  async start(): Promise<void> {
    this.#transport.start(
      (message) => {
        receivedHere++;
        this.#received.push(message);
        if (this.#echoes && typeof message === "number") this.#transport.send(message + 1000);
      },
      () => this.#closed++,
    );
  }
  async send(messages: unknown[]): Promise<number> {
    const before = receivedHere;
    for (const message of messages) this.#transport.send(message);
    return receivedHere - before;
  }
  async sendUncloneable(): Promise<string> {
    const cycle: Record<string, unknown> = { method: () => {}, big: 1n };
    cycle.self = cycle;
    try {
      this.#transport.send(cycle);
      return "nothing was thrown";
    } catch (error) {
      return error instanceof Error ? error.name : String(error);
    }
  }
  async echo(): Promise<void> {
    this.#echoes = true;
  }
  async received(): Promise<unknown[]> {
    return this.#received;
  }
  async closed(): Promise<number> {
    return this.#closed;
  }
  async close(): Promise<void> {
    this.#transport.close();
  }
  async listeners(): Promise<number> {
    return this.#listeners();
  }
}

/** A pair of ends, and the guarantees of their platform. */
export interface Pair {
  a: Remote;
  b: Remote;
  /** Whether an end is notified when the other one closes. */
  tellsClose: boolean;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await pause(1);
  }
}

function same(actual: unknown, wanted: unknown, what: string): void {
  const [is, must] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (is !== must) throw new Error(`${what}: ${is} instead of ${must}`);
}

/** Waits for the wanted number of messages, and a moment for one too many. */
async function hears(end: Remote, wanted: unknown[], what: string): Promise<void> {
  await eventually(async () => (await end.received()).length >= wanted.length, `${what} (${wanted.length})`);
  await pause(2);
  same(await end.received(), wanted, what);
}

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n);

/** The only optional behaviour of a transport: a window that does not listen yet receives nothing. */
export const KEEPS_EARLY = "keeps what was sent before start";

/** Each behaviour, by name. `quiet` is how long silence must last to count, in milliseconds. */
export const CONTRACT: Record<string, (pair: Pair, quiet: number) => Promise<void>> = {
  "delivers in order, both ways": async ({ a, b }) => {
    await Promise.all([a.start(), b.start()]);
    await Promise.all([a.send(numbers(0, 100)), b.send(numbers(500, 100))]);
    await hears(b, numbers(0, 100), "b received");
    await hears(a, numbers(500, 100), "a received");
  },
  "delivers objects as they are": async ({ a, b }) => {
    await Promise.all([a.start(), b.start()]);
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { text: "Grüße 🎉", list: [null, 1.5] },
    };
    await a.send([message]);
    await hears(b, [message], "b received");
  },
  "is not re-entrant: nothing is received inside a send": async ({ a, b }) => {
    await Promise.all([a.start(), b.start(), b.echo()]);
    same(await a.send(numbers(0, 10)), 0, "received inside send");
    await hears(a, numbers(1000, 10), "answers sent from inside receive");
  },
  [KEEPS_EARLY]: async ({ a, b }) => {
    await a.start();
    await a.send([1, 2]);
    await pause(2);
    await a.send([3]);
    await b.start();
    await a.send([4]);
    await hears(b, [1, 2, 3, 4], "b received");
  },
  "delivers nothing to an end that closed": async ({ a, b }, quiet) => {
    await Promise.all([a.start(), b.start()]);
    await a.send([1]);
    await hears(b, [1], "b received");
    await b.close();
    await a.send([2, 3]);
    await pause(quiet);
    same(await b.received(), [1], "b received after its close");
  },
  "delivers what was sent before the sender closed": async ({ a, b, tellsClose }) => {
    await Promise.all([a.start(), b.start()]);
    await a.send([1, 2]);
    await a.close();
    await hears(b, [1, 2], "b received");
    if (tellsClose) await eventually(async () => (await b.closed()) === 1, "b is told");
  },
  "may be closed twice, at both ends, and before its start": async ({ a, b }) => {
    await b.close();
    await a.start();
    await a.close();
    await a.close();
    await b.close();
  },
  "tells of the other end's close once, where the platform tells": async ({ a, b, tellsClose }, quiet) => {
    await Promise.all([a.start(), b.start()]);
    await a.close();
    if (tellsClose) await eventually(async () => (await b.closed()) > 0, "b is told");
    await pause(quiet);
    same(await b.closed(), tellsClose ? 1 : 0, "times that b was told");
  },
  "never tells of one's own close": async ({ a, b }, quiet) => {
    await Promise.all([a.start(), b.start()]);
    await Promise.all([a.close(), b.close()]);
    await pause(quiet);
    same(await a.closed(), 0, "times that a was told");
  },
  "throws for what it cannot carry, and carries on": async ({ a, b }) => {
    await Promise.all([a.start(), b.start()]);
    await a.send([1]);
    const name = await a.sendUncloneable();
    if (!/DataCloneError|TypeError/.test(name)) throw new Error(`threw ${name}`);
    await a.send([2]);
    await b.send([3]);
    await hears(b, [1, 2], "b received");
    await hears(a, [3], "a received");
  },
  "releases its listeners": async ({ a, b }) => {
    same([await a.listeners(), await b.listeners()], [0, 0], "listeners before start");
    await Promise.all([a.start(), b.start()]);
    await a.close();
    await b.close();
    same([await a.listeners(), await b.listeners()], [0, 0], "listeners after close");
  },
};
