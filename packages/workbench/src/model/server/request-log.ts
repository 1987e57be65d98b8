/**
 * The requests that a user has made to a server by hand: to look at again, to repeat and to compare.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { Observable } from "../observable.js";

/** A kind of request. `any` is written by the user, and its name is the method. */
export type RequestKind = "tools/call" | "prompts/get" | "resources/read" | "any";

/** A request, with its outcome when there is one. */
export interface MadeRequest {
  readonly n: number;
  readonly kind: RequestKind;
  /** The tool's or prompt's name, the address, or the method. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly outcome?: RequestOutcome | undefined;
  /** Whether the user has pinned it: it stays in the log, beyond the limit. */
  readonly isPinned?: boolean | undefined;
  /** Whether it was pinned in an earlier load of the page. Its outcome is not stored. */
  readonly isEarlier?: boolean | undefined;
}

/** A pinned request as it is stored. */
export type PinnedRequest = Pick<MadeRequest, "kind" | "name" | "input" | "at">;

/** How a request ended. */
export interface RequestOutcome {
  /** Milliseconds. */
  readonly duration: number;
  /** Characters of the answer's JSON. */
  readonly size: number;
  readonly result?: unknown;
  /** Why there is no result. */
  readonly problem?: string | undefined;
  /** The code of the error, such as −32601. */
  readonly code?: number | string | undefined;
  /** Whether it failed: without a result, or with one that says so. */
  readonly isError: boolean;
}

/** Numbers about the requests of one name. */
export interface RequestStatistics {
  readonly kind: RequestKind;
  readonly name: string;
  readonly count: number;
  readonly errors: number;
  /** Milliseconds: the median, and the time that 95 of 100 do not exceed. */
  readonly p50: number;
  readonly p95: number;
  /** Characters: the median and the largest. */
  readonly size: number;
  readonly largest: number;
}

/** Requests that are kept, beside those that are pinned. */
const MOST = 500;

/** The requests of this page, the newest last, after those that were pinned before. */
export class RequestLog extends Observable {
  requests: readonly MadeRequest[];
  #last: number;

  constructor(pinned: readonly PinnedRequest[] = []) {
    super();
    this.#last = pinned.length;
    this.requests = pinned.map((request, index) => ({
      ...request,
      n: index + 1,
      isPinned: true,
      isEarlier: true,
    }));
  }

  /** Makes a request, and records how it ends. */
  async make<T>(
    { kind, name, input }: Pick<MadeRequest, "kind" | "name" | "input">,
    send: () => Promise<T>,
  ): Promise<MadeRequest> {
    const n = ++this.#last;
    this.requests = withinLimit([...this.requests, { n, kind, name, input, at: Date.now() }]);
    this.changed();
    const before = performance.now();
    const ended = (outcome: Omit<RequestOutcome, "duration">): void => {
      const duration = performance.now() - before;
      this.requests = this.requests.map((each) =>
        each.n === n ? { ...each, outcome: { ...outcome, duration } } : each,
      );
      this.changed();
    };
    try {
      const result = await send();
      const isError = (result as { isError?: unknown } | undefined)?.isError === true;
      ended({ result, size: JSON.stringify(result)?.length ?? 0, isError });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const code = error instanceof VitrineError ? error.code : undefined;
      ended({ problem, code, size: 0, isError: true });
    }
    return this.requests.find((each) => each.n === n) ?? { n, kind, name, input, at: Date.now() };
  }

  /** Numbers by name, in the order of the first request. */
  get statistics(): RequestStatistics[] {
    const groups = new Map<string, MadeRequest[]>();
    for (const request of this.requests) {
      if (!request.outcome) continue;
      const key = `${request.kind} ${request.name}`;
      groups.set(key, [...(groups.get(key) ?? []), request]);
    }
    return [...groups.values()].flatMap((made) => statisticsOf(made) ?? []);
  }

  /** Pins a request, or removes its pin. */
  pin(n: number, isPinned: boolean): void {
    this.requests = this.requests.map((each) => (each.n === n ? { ...each, isPinned } : each));
    this.changed();
  }

  /** Removes the requests that have ended and are not pinned. */
  clear(): void {
    this.requests = this.requests.filter(
      ({ outcome, isEarlier, isPinned }) => isPinned || (!outcome && !isEarlier),
    );
    this.changed();
  }
}

/** Drops the oldest requests without a pin above the limit. */
function withinLimit(requests: readonly MadeRequest[]): MadeRequest[] {
  let excess = requests.filter(({ isPinned }) => !isPinned).length - MOST;
  return requests.filter(({ isPinned }) => isPinned || excess-- <= 0);
}

function statisticsOf(made: readonly MadeRequest[]): RequestStatistics | undefined {
  const [first] = made;
  if (!first) return undefined;
  const outcomes = made.flatMap(({ outcome }) => outcome ?? []);
  const durations = outcomes.map(({ duration }) => duration);
  const sizes = outcomes.map(({ size }) => size);
  return {
    kind: first.kind,
    name: first.name,
    count: made.length,
    errors: outcomes.filter(({ isError }) => isError).length,
    p50: percentile(durations, 50),
    p95: percentile(durations, 95),
    size: percentile(sizes, 50),
    largest: Math.max(0, ...sizes),
  };
}

/** The smallest value that at least `percent` of 100 values do not exceed; 0 of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}
