/**
 * Which idempotency keys are surely new, without a look at the audit log.
 *
 * @module
 */

interface Series {
  /** The highest number that came in. */
  highest: number;
  /** Whether no key of the series was on record or under way when the first one came in. */
  readonly isNew: Promise<boolean>;
}

/** Series that are remembered. The keys of a forgotten one are looked up in the audit log. */
const MAX_SERIES = 10_000;

/**
 * Pages number their keys: `<series>.<number>`, with a random series for each page. If no key of a series is on record or
 * under way when its first key comes in, then a key with a higher number than all before it is new. This spares busy pages
 * a look at the log with every call.
 */
export class KeySeries {
  readonly #mayHaveSeries: (series: string) => Promise<boolean>;
  readonly #known = new Map<string, Series>();

  constructor(mayHaveSeries: (series: string) => Promise<boolean>) {
    this.#mayHaveSeries = mayHaveSeries;
  }

  /** Whether the key never came in before, now or in an earlier process. False if that is not known. */
  async isNew(user: string, key: string): Promise<boolean> {
    const [, name, digits] = /^(.*)\.(\d{1,15})$/s.exec(key) ?? [];
    if (name === undefined) return false;
    const number = Number(digits);
    const id = JSON.stringify([user, name]);
    let series = this.#known.get(id);
    if (!series) {
      const isNew = this.#mayHaveSeries(name).then(
        (mayHave) => !mayHave,
        () => false,
      );
      series = { highest: Number.NEGATIVE_INFINITY, isNew };
      for (const oldest of this.#known.keys()) {
        if (this.#known.size < MAX_SERIES) break;
        this.#known.delete(oldest);
      }
      this.#known.set(id, series);
    }
    // Before anything is waited for: others of the series may come in meanwhile.
    const isHighest = number > series.highest;
    if (isHighest) series.highest = number;
    return isHighest && series.isNew;
  }
}
