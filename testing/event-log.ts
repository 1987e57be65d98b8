/** What happened in a page, in order, with a way to wait for it. Runs in the page; tests ask for it there. */
export class EventLog {
  readonly entries: { name: string; value: unknown }[] = [];
  readonly #waiting = new Set<() => void>();

  add(name: string, value: unknown = {}): void {
    this.entries.push({ name, value });
    for (const look of [...this.#waiting]) look();
  }

  /** Forgets everything, so that the next test sees only its own. */
  clear(): void {
    this.entries.length = 0;
  }

  /** The names, in order; of those asked for, or of all. */
  names(...wanted: string[]): string[] {
    return this.entries.map(({ name }) => name).filter((name) => !wanted.length || wanted.includes(name));
  }

  /** Everything that happened under one name. */
  values(name: string): unknown[] {
    return this.entries.filter((entry) => entry.name === name).map(({ value }) => value);
  }

  /** Waits until it happened so often, and gives the last one. */
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
