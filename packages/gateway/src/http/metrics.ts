/**
 * Metrics in the text format of Prometheus.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/** The labels of a series. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Maximum number of series per metric. Input from outside must not create more: further ones are counted as
 * `other`.
 */
const MAX_SERIES = 500;
/** Maximum characters of a label's value. */
const MAX_VALUE = 100;

/** Buckets in seconds, from a tenth of a millisecond to ten. */
export const SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Buckets in bytes, from 256 to 64 MiB. */
export const BYTES: readonly number[] = [
  256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** A tree of series by the values of their labels. */
interface Branch<S> {
  readonly next: Map<string, Branch<S>>;
  series?: S;
}

/** A metric with its series. */
abstract class Metric<S> {
  readonly #series = new Map<string, S>();
  /** The same series as a tree: building a key takes longer than counting. */
  #root: Branch<S> = { next: new Map() };
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  protected series(labels: Labels, make: () => S): S {
    let branch: Branch<S> | undefined = this.#root;
    for (const name of this.#names) branch = branch?.next.get(labels[name] ?? "");
    return branch?.series ?? this.#add(labels, make);
  }

  #add(labels: Labels, make: () => S): S {
    const key = this.#key(labels);
    const known = this.#series.get(key);
    // Truncated values may be equal.
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES) {
      const other = this.#key(Object.fromEntries(this.#names.map((name) => [name, "other"])));
      const rest = this.#series.get(other) ?? make();
      this.#series.set(other, rest);
      return rest;
    }
    const series = make();
    this.#series.set(key, series);
    let branch = this.#root;
    for (const name of this.#names) {
      const value = labels[name] ?? "";
      const next: Branch<S> = branch.next.get(value) ?? { next: new Map() };
      branch.next.set(value, next);
      branch = next;
    }
    branch.series = series;
    return series;
  }

  #key(labels: Labels): string {
    let key = "";
    for (const name of this.#names) key += `${key && ","}${name}="${escaped(labels[name] ?? "")}"`;
    return key;
  }

  protected entries(): Iterable<[string, S]> {
    return this.#series;
  }

  protected clear(): void {
    this.#series.clear();
    this.#root = { next: new Map() };
  }

  abstract lines(name: string): string[];
}

const PLAIN = /^[\w ./:{}-]{0,100}$/;
const escaped = (value: string): string =>
  PLAIN.test(value)
    ? value
    : value.slice(0, MAX_VALUE).replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels && `{${labels}}`} ${value === Number.POSITIVE_INFINITY ? "+Inf" : value}`;

/** A value that only grows. With `read`, it is read when the metrics are requested. */
export class Counter extends Metric<{ value: number }> {
  readonly type = "counter";
  readonly #read: (() => number) | undefined;

  constructor(names: readonly string[], read?: () => number) {
    super(names);
    this.#read = read;
    // Present from the start, so that its growth is visible.
    if (names.length === 0) this.add({}, 0);
  }

  add(labels: Labels = {}, by = 1): void {
    this.series(labels, () => ({ value: 0 })).value += by;
  }

  lines(name: string): string[] {
    if (this.#read) this.series({}, () => ({ value: 0 })).value = this.#read();
    return Array.from(this.entries(), ([labels, { value }]) => line(name, labels, value));
  }
}

/** The value of a gauge. */
export type Reading = number | Iterable<readonly [Labels, number]>;

/** A value that goes up and down. With `read`, it is read when the metrics are requested. */
export class Gauge extends Metric<{ value: number }> {
  readonly type = "gauge";
  readonly #read: (() => Reading) | undefined;

  constructor(names: readonly string[], read?: () => Reading) {
    super(names);
    this.#read = read;
    if (names.length === 0) this.add({}, 0);
  }

  set(labels: Labels, value: number): void {
    this.series(labels, () => ({ value: 0 })).value = value;
  }

  add(labels: Labels = {}, by = 1): void {
    this.series(labels, () => ({ value: 0 })).value += by;
  }

  lines(name: string): string[] {
    if (this.#read) {
      const reading = this.#read();
      this.clear();
      for (const [labels, value] of typeof reading === "number" ? [[{}, reading] as const] : reading) {
        this.set(labels, value);
      }
    }
    return Array.from(this.entries(), ([labels, { value }]) => line(name, labels, value));
  }
}

/** A distribution of values. */
export class Histogram extends Metric<{ counts: number[]; sum: number; count: number }> {
  readonly type = "histogram";
  readonly #bounds: readonly number[];

  constructor(names: readonly string[], bounds: readonly number[]) {
    super(names);
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const series = this.series(labels, () => ({ counts: this.#bounds.map(() => 0), sum: 0, count: 0 }));
    series.sum += value;
    series.count++;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const before = series.counts[at];
    if (before !== undefined) series.counts[at] = before + 1;
  }

  lines(name: string): string[] {
    return Array.from(this.entries()).flatMap(([labels, { counts, sum, count }]) => {
      let below = 0;
      const start = labels && `${labels},`;
      return [
        ...this.#bounds.map((bound, at) =>
          line(`${name}_bucket`, `${start}le="${bound}"`, (below += counts[at] ?? 0)),
        ),
        line(`${name}_bucket`, `${start}le="+Inf"`, count),
        line(`${name}_sum`, labels, sum),
        line(`${name}_count`, labels, count),
      ];
    });
  }
}

/**
 * All metrics of a process.
 *
 * @example
 * ```ts source="./http.examples.ts#metrics"
 * const metrics = new Metrics();
 * const calls = metrics.counter("vitrine_calls_total", "Calls of servers.", ["server"]);
 * calls.add({ server: "weather" });
 * metrics.gauge("vitrine_processes", "Running server processes.", [], () => processes.size);
 * const text = metrics.text();
 * ```
 */
export class Metrics {
  readonly #metrics = new Map<string, { help: string; metric: Counter | Gauge | Histogram }>();

  counter(name: string, help: string, labels: readonly string[] = [], read?: () => number): Counter {
    return this.#register(name, help, new Counter(labels, read));
  }

  gauge(name: string, help: string, labels: readonly string[] = [], read?: () => Reading): Gauge {
    return this.#register(name, help, new Gauge(labels, read));
  }

  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labels: readonly string[] = [],
  ): Histogram {
    return this.#register(name, help, new Histogram(labels, bounds));
  }

  /** The text for Prometheus. */
  text(): string {
    const blocks = Array.from(this.#metrics, ([name, { help, metric }]) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${metric.type}`, ...metric.lines(name)].join("\n"),
    );
    return `${blocks.join("\n")}\n`;
  }

  #register<M extends Counter | Gauge | Histogram>(name: string, help: string, metric: M): M {
    if (!/^[a-z_][a-z0-9_]*$/.test(name) || this.#metrics.has(name)) {
      throw new VitrineError("invalid", `${name} is not a valid metric name, or exists already`);
    }
    this.#metrics.set(name, { help: help.replace(/[\\\n]/g, " "), metric });
    return metric;
  }
}
