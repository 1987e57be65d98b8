/**
 * Stands before a view's document where the operator asked for it, as developers do: tells the host page what the
 * view's scripts write to their console. Like all that a view reports these are its own words. The console works as
 * before, and the app can do with it what it likes.
 */
import { describeCall } from "./describe.js";
import { tell } from "./prelude.js";

/** Most lines in a burst, and in each second after it: well under what the proxy lets through. */
const BURST = 1000;
const PER_SECOND = 100;

/** What is heard, and how loud it is. */
const LEVELS = {
  ...{ debug: "debug", log: "log", info: "info", warn: "warn", error: "error" },
  ...{ trace: "log", table: "log", assert: "error" },
} as const;
type Method = keyof typeof LEVELS;

const script = document.currentScript as HTMLScriptElement;
const proxy = `${script.dataset["proxy"]}`;
script.remove();

// An app may put something else in their place, such as a clock that stands still.
const { setTimeout: later, performance: clock, Reflect: reflect, Error: Fault } = window;
const pen: Record<Method, (...values: never[]) => void> = window.console;
const { captureStackTrace } = Fault as { captureStackTrace?: (onto: object, above: unknown) => void };
const now = clock.now.bind(clock);
let budget = BURST;
let counted = now();
/** Lines that were not told. */
let missed = 0;
/** What is described may write to the console in turn, without end. */
let isBusy = false;

function hear(method: Method, values: readonly unknown[], by: unknown): void {
  if (method === "assert" && values[0]) return;
  const at = now();
  budget = Math.min(BURST, budget + ((at - counted) / 1000) * PER_SECOND);
  counted = at;
  if (budget < 1) {
    if (missed++ === 0) later(tellMissed, 1000);
    return;
  }
  budget--;
  const text = describeCall(method, values, method === "trace" ? stackAbove(by) : "");
  tell(proxy, "report", { code: "console", level: LEVELS[method], text });
}

/** Where something was called; where a browser does not tell that alone, with the lines of this script before it. */
function stackAbove(called: unknown): string {
  const place = new Fault();
  captureStackTrace?.(place, called);
  return `${place.stack}`.replace(/^Error\b/, "");
}

function tellMissed(): void {
  tell(proxy, "report", { code: "console", level: "warn", missed });
  missed = 0;
}

for (const method of Object.keys(LEVELS) as Method[]) {
  const real = pen[method];
  // A method, so that it is no constructor, as the real one is none; with its name.
  const heard = {
    [method](this: unknown, ...values: unknown[]) {
      reflect.apply(real, this, values);
      if (isBusy) return;
      isBusy = true;
      try {
        hear(method, values, heard);
      } catch {
        // An app that broke what this stands on: its own line was written.
      }
      isBusy = false;
    },
  }[method] as typeof real;
  pen[method] = heard;
}
