/**
 * Why an app is blank, or not as it should be: the cause, what speaks for it, and what to do.
 *
 * @module
 */
import { failed, unshown } from "./diagnose-failure.js";
import { GRACE, running, starting, still } from "./diagnose-running.js";
import type { Diagnosed, Diagnosis } from "./diagnosis.js";
import { factsOf } from "./diagnosis-facts.js";

export type { Diagnosed, Diagnosis } from "./diagnosis.js";

/** What is wrong with an app; undefined when nothing is. */
export function diagnose(app: Diagnosed): Diagnosis | undefined {
  const facts = factsOf(app);
  return (
    unshown(app) ??
    failed(app, facts) ??
    starting(app, facts) ??
    still(app) ??
    (app.state === "ready" || app.state === "unresponsive" ? running(app, facts) : undefined)
  );
}

/** Milliseconds after which another look may find something, although nothing happens meanwhile. */
export function lookAgainIn(app: Diagnosed): number | undefined {
  const { initialized } = factsOf(app);
  const left = initialized ? initialized.at + GRACE - app.log.now : 0;
  return app.state === "ready" && left > 0 ? left + 50 : undefined;
}

/** What the frame of an app that failed says besides the failure and its detail: what to do, and what else speaks for it. */
export function failureText(app: Diagnosed): string {
  const { failure } = app;
  const found = failure && diagnose(app);
  if (!found) return "";
  const { cause, evidence, fix } = found;
  const isNew = (text: string): boolean =>
    text !== failure.message && !(failure.detail && text.includes(failure.detail));
  return [`What to do: ${fix}`, ...[cause.message, ...evidence].filter(isNew), cause.code].join("\n");
}
