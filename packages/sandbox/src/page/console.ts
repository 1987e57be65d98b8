/**
 * Stands before a view's document where the operator asked for it, as developers do: tells the host page what the
 * view's scripts write to their console. Like all that a view reports these are its own words. The console works as
 * before, and the app can do with it what it likes.
 */
import { describeLine } from "./describe.js";
import { tell } from "./prelude.js";

/** Most lines in a burst, and in each second after it: well under what the proxy lets through. */
const BURST = 1000;
const PER_SECOND = 100;

const script = document.currentScript as HTMLScriptElement;
const proxy = `${script.dataset["proxy"]}`;
script.remove();

// An app may put something else in their place, such as a clock that stands still.
const { setTimeout: later, performance: clock, Reflect: reflect, console: pen } = window;
const now = clock.now.bind(clock);
let budget = BURST;
let counted = now();
/** Lines that were not told. */
let missed = 0;
/** What is described may write to the console in turn, without end. */
let isBusy = false;

function hear(level: string, values: readonly unknown[]): void {
  const at = now();
  budget = Math.min(BURST, budget + ((at - counted) / 1000) * PER_SECOND);
  counted = at;
  if (budget < 1) {
    if (missed++ === 0) later(tellMissed, 1000);
    return;
  }
  budget--;
  tell(proxy, "report", { code: "console", level, text: describeLine(values) });
}

function tellMissed(): void {
  tell(proxy, "report", { code: "console", level: "warn", missed });
  missed = 0;
}

for (const level of ["debug", "log", "info", "warn", "error"] as const) {
  const real = pen[level];
  // A method, so that it is no constructor, as the real one is none; with its name.
  pen[level] = {
    [level](this: unknown, ...values: unknown[]) {
      reflect.apply(real, this, values);
      if (isBusy) return;
      isBusy = true;
      try {
        hear(level, values);
      } catch {
        // An app that broke what this stands on: its own line was written.
      }
      isBusy = false;
    },
  }[level] as typeof real;
}
