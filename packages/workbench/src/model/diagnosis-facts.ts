/**
 * What the log of an app says about how far it has come.
 *
 * @module
 */
import type { LoggedMessage } from "./app-log.js";
import { groupViolations } from "./csp-advice.js";
import type { Diagnosed } from "./diagnosis.js";

/** What is known of how far the app has come since it was last begun. */
export interface Facts {
  readonly isLoaded: boolean;
  readonly initialize: LoggedMessage | undefined;
  readonly initialized: LoggedMessage | undefined;
  readonly result: LoggedMessage | undefined;
  readonly cancelled: LoggedMessage | undefined;
  readonly errors: readonly string[];
  readonly blocked: ReturnType<typeof groupViolations>;
}

/** What the log says. */
export function factsOf({ log, profile, source }: Diagnosed): Facts {
  // An app that was mounted again began anew.
  const since = log.steps.findLast(({ step }) => step === "loading")?.at ?? 0;
  const last = (method: string, direction: "in" | "out"): LoggedMessage | undefined =>
    log.milestones.findLast(
      (each) =>
        each.method === method &&
        each.direction === direction &&
        each.at >= since &&
        each.kind !== "error" &&
        each.kind !== "result",
    );
  return {
    isLoaded: log.steps.some(({ step, at }) => step === "document loaded" && at >= since),
    initialize: last("ui/initialize", "in"),
    initialized: last("ui/notifications/initialized", "in"),
    result: last("ui/notifications/tool-result", "out"),
    cancelled: last("ui/notifications/tool-cancelled", "out"),
    errors: log.lines.filter(({ from, at }) => from === "script" && at >= since).map(({ text }) => text),
    blocked: groupViolations(
      log.violations.filter(({ at }) => at >= since),
      { profile, narrowed: source.place?.narrowed },
    ),
  };
}

/** As evidence: what scripts threw. */
export const errorsOf = ({ errors }: Facts): string[] =>
  [...new Set(errors)].slice(0, 5).map((text) => `Its script threw: ${text}`);
/** As evidence: what the policy blocked. */
export const blockedOf = ({ blocked }: Facts): string[] =>
  blocked
    .slice(0, 5)
    .map(
      (each) => `${each.directive} blocked ${each.blocked}${each.count > 1 ? ` (${each.count} times)` : ""}`,
    );

/** Whether it kept a script from running. */
export const isOfScripts = ({ directive }: { directive: string }): boolean =>
  /^(script|worker)-src/.test(directive);
