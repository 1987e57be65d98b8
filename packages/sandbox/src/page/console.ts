/**
 * Runs before a view's document if the operator enables it for developers: reports the console output of the
 * view's scripts to the host page. Like all reports of a view, it is untrusted. The console works as before,
 * and the app may change it.
 */
import { describeCall } from "./describe.js";
import { tell } from "./prelude.js";

/** Maximum lines in a burst, and per second after it: well under the proxy's limit. */
const BURST = 1000;
const PER_SECOND = 100;

/** Reported methods and their levels. */
const LEVELS = {
  debug: "debug",
  log: "log",
  info: "info",
  warn: "warn",
  error: "error",
  trace: "log",
  table: "log",
  assert: "error",
} as const;
type Method = keyof typeof LEVELS;

const script = document.currentScript as HTMLScriptElement;
const proxy = `${script.dataset["proxy"]}`;
script.remove();

// Captured, because an app may replace them, for example with a stopped clock.
const { setTimeout: later, performance: clock, Reflect: reflect, Error: Fault } = window;
const pen: Record<Method, (...values: never[]) => void> = window.console;
const { captureStackTrace } = Fault as { captureStackTrace?: (onto: object, above: unknown) => void };
const now = clock.now.bind(clock);
let budget = BURST;
let counted = now();
/** Number of dropped lines. */
let missed = 0;
/** Prevents recursion: describing a value may write to the console. */
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

/** The stack of a call; in some browsers it includes lines of this script. */
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
  // A method, so that like the original it is not a constructor, and has its name.
  const heard = {
    [method](this: unknown, ...values: unknown[]) {
      reflect.apply(real, this, values);
      if (isBusy) return;
      isBusy = true;
      try {
        hear(method, values, heard);
      } catch {
        // The app broke a builtin that this needs: its own line was still written.
      }
      isBusy = false;
    },
  }[method] as typeof real;
  pen[method] = heard;
}
