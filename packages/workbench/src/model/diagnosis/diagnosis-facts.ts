/**
 * Facts about an app's progress, from its log.
 *
 * @module
 */
import { type LoggedLine, type LoggedMessage, PAINTED } from "../app/app-log.js";
import { groupViolations } from "./csp-advice.js";
import type { Diagnosed } from "./diagnosis.js";

/** Progress of the app since its last start. */
export interface Facts {
  readonly isLoaded: boolean;
  /** Whether it has drawn something, even if it removed it again. */
  readonly isPainted: boolean;
  readonly initialize: LoggedMessage | undefined;
  readonly initialized: LoggedMessage | undefined;
  readonly result: LoggedMessage | undefined;
  readonly cancelled: LoggedMessage | undefined;
  readonly errors: readonly string[];
  readonly blocked: ReturnType<typeof groupViolations>;
}

/** Whether a line is about an uncaught error of the app. */
export const isThrown = ({ from, level }: Pick<LoggedLine, "from" | "level">): boolean =>
  from === "script" && level === "error";

/** The text of a line with the location of the error, such as `x is not defined (document:12:5)`. */
export const withPlace = ({ text, place }: Pick<LoggedLine, "text" | "place">): string =>
  place ? `${text} (${place})` : text;

/** Reads the facts from the log. */
export function factsOf({ log, profile, source }: Diagnosed): Facts {
  // Only since the last mount.
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
  const has = (name: string): boolean => log.steps.some(({ step, at }) => step === name && at >= since);
  return {
    isLoaded: has("document loaded"),
    isPainted: has(PAINTED),
    initialize: last("ui/initialize", "in"),
    initialized: last("ui/notifications/initialized", "in"),
    result: last("ui/notifications/tool-result", "out"),
    cancelled: last("ui/notifications/tool-cancelled", "out"),
    errors: log.lines.filter((line) => isThrown(line) && line.at >= since).map(withPlace),
    blocked: groupViolations(
      log.violations.filter(({ at }) => at >= since),
      { profile, narrowed: source.place?.narrowed },
    ),
  };
}

/** Script errors as evidence. */
export const errorsOf = ({ errors }: Facts): string[] =>
  [...new Set(errors)].slice(0, 5).map((text) => `Its script threw: ${text}`);
/** Policy violations as evidence. */
export const blockedOf = ({ blocked }: Facts): string[] =>
  blocked
    .slice(0, 5)
    .map(
      (each) => `${each.directive} blocked ${each.blocked}${each.count > 1 ? ` (${each.count} times)` : ""}`,
    );

/**
 * Matches errors of `fetch`, `XMLHttpRequest`, `WebSocket` and `EventSource`, none of which contain the URL.
 */
const REQUEST_FAILED = /fetch|network|load|connect|socket|request/i;

/** The blocked request, if it caused an uncaught error. */
export const blockedRequest = ({ blocked, errors }: Facts): Facts["blocked"][number] | undefined =>
  errors.some((text) => REQUEST_FAILED.test(text))
    ? blocked.find(({ directive }) => directive === "connect-src")
    : undefined;

/** Whether it blocked a script. */
export const isOfScripts = ({ directive }: { directive: string }): boolean =>
  /^(script|worker)-src/.test(directive);
