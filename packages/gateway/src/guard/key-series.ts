/**
 * Recognizes new idempotency keys without reading the audit log.
 *
 * @module
 */

interface Series {
  /** The highest number so far. */
  highest: number;
  /** Whether no key of the series was recorded or running when its first key arrived. */
  readonly isNew: Promise<boolean>;
}

/** Number of remembered series. Keys of a forgotten series are looked up in the audit log. */
const MAX_SERIES = 10_000;

/**
 * Pages number their keys: `<series>.<number>`, with a random series for each page. If no key of a series is
 * recorded or running when its first key arrives, then any key with a higher number than all before it is
 * new. This saves busy pages a read of the log per call.
 */
export class KeySeries {
  readonly #mayHaveSeries: (series: string) => Promise<boolean>;
  readonly #known = new Map<string, Series>();

  constructor(mayHaveSeries: (series: string) => Promise<boolean>) {
    this.#mayHaveSeries = mayHaveSeries;
  }

  /** Whether the key certainly never arrived before, in this process or an earlier one. */
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
    // Before any await: other keys of the series may arrive meanwhile.
    const isHighest = number > series.highest;
    if (isHighest) series.highest = number;
    return isHighest && series.isNew;
  }
}
