/**
 * Diagnoses a blank or broken app: the cause, the evidence, and the solution.
 *
 * @module
 */
import { failed, unshown } from "./diagnose-failure.js";
import { GRACE, running, starting, still } from "./diagnose-running.js";
import type { Diagnosed, Diagnosis } from "./diagnosis.js";
import { factsOf } from "./diagnosis-facts.js";

export type { Diagnosed, Diagnosis } from "./diagnosis.js";

/** The problem of an app; undefined if there is none. */
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

/** Milliseconds after which a new check may find something, even if nothing happens. */
export function lookAgainIn(app: Diagnosed): number | undefined {
  const { initialized } = factsOf(app);
  const left = initialized ? initialized.at + GRACE - app.log.now : 0;
  return app.state === "ready" && left > 0 ? left + 50 : undefined;
}

/** Text for the frame of a failed app, besides the failure itself: the solution and further evidence. */
export function failureText(app: Diagnosed): string {
  const { failure } = app;
  const found = failure && diagnose(app);
  if (!found) return "";
  const { cause, evidence, fix } = found;
  const isNew = (text: string): boolean =>
    text !== failure.message && !(failure.detail && text.includes(failure.detail));
  return [`What to do: ${fix}`, ...[cause.message, ...evidence].filter(isNew), cause.code].join("\n");
}
