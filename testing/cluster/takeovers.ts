/** How long the users of a node wait after a fault until a new call of theirs is answered. */
export class Takeovers {
  readonly #times = new Map<string, number[]>();

  /** @param time milliseconds; undefined if no call was answered, which is found elsewhere */
  add(fault: string, time: number | undefined): void {
    if (time === undefined) return;
    const times = this.#times.get(fault);
    if (times) times.push(time);
    else this.#times.set(fault, [time]);
  }

  get names(): string[] {
    return [...this.#times.keys()];
  }

  /** Percentiles as text. */
  line(fault: string): string {
    const times = (this.#times.get(fault) ?? []).toSorted((a, b) => a - b);
    const at = (share: number): string => {
      const time = times[Math.min(times.length - 1, Math.ceil(share * times.length) - 1)];
      return time === undefined ? "-" : `${(time / 1000).toFixed(1)} s`;
    };
    return `${times.length} users of the node answered after p50 ${at(0.5)}, p99 ${at(0.99)}`;
  }
}
