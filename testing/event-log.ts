/** Events of a page, in order, with a way to wait for them. Runs in the page, where tests query it. */
export class EventLog {
  readonly entries: { name: string; value: unknown }[] = [];
  readonly #waiting = new Set<() => void>();

  add(name: string, value: unknown = {}): void {
    this.entries.push({ name, value });
    for (const look of [...this.#waiting]) look();
  }

  /** Clears the log, so that the next test sees only its own events. */
  clear(): void {
    this.entries.length = 0;
  }

  /** Names of all events, or of the given ones, in order. */
  names(...wanted: string[]): string[] {
    return this.entries.map(({ name }) => name).filter((name) => !wanted.length || wanted.includes(name));
  }

  /** Everything that was logged under one name. */
  values(name: string): unknown[] {
    return this.entries.filter((entry) => entry.name === name).map(({ value }) => value);
  }

  /** Waits until an event has been logged so many times, and returns the last one. */
  until(name: string, count = 1): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const values = this.values(name);
        if (values.length < count) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(values[count - 1]);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const seen = this.entries.map((each) => `${each.name} ${JSON.stringify(each.value)}`);
        reject(new Error(`no ${name} (${count}) in 60 s, only: ${seen.slice(-50).join("\n")}`));
      }, 60_000);
      this.#waiting.add(look);
      look();
    });
  }
}
