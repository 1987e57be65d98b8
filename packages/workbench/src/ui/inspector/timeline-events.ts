/**
 * Events of an app's timeline, from its log.
 *
 * @module
 */
import type { AppLog } from "../../model/app/app-log.js";

/** Something that happened. */
export interface TimelineEvent {
  /** Milliseconds since the app was opened. */
  readonly at: number;
  readonly label: string;
  /** Partly text from the app: untrusted. */
  readonly detail: string;
  readonly tone: "" | "good" | "bad" | "warn";
}

const MESSAGES: Readonly<Record<string, string>> = {
  "ui/initialize": "The app introduced itself",
  "ui/notifications/initialized": "The app is initialized",
  "ui/notifications/tool-input": "The input was sent",
  "ui/notifications/tool-result": "The result was sent",
  "ui/notifications/tool-cancelled": "The app was notified of the cancellation",
  "ui/notifications/size-changed": "The app reported its size",
  "ui/notifications/request-teardown": "The app asked to be closed",
  "ui/resource-teardown": "The app was asked to finish",
};

const STEPS: Readonly<Record<string, [label: string, tone: TimelineEvent["tone"]]>> = {
  opened: ["Opened", ""],
  loading: ["Loading", ""],
  "document loaded": ["The document loaded", ""],
  ready: ["Ready", "good"],
  unresponsive: ["Does not respond", "warn"],
  failed: ["Failed", "bad"],
  idle: ["Removed from the page", ""],
  closed: ["Closed", ""],
};

/** The events, in order. */
export function timelineOf({ steps, milestones, violations, lines }: AppLog): TimelineEvent[] {
  const events: TimelineEvent[] = [
    ...steps.map(({ at, step, detail = "" }): TimelineEvent => {
      const [label, tone] = STEPS[step] ?? [step, ""];
      return { at, label, tone, detail };
    }),
    ...milestones.map(
      ({ at, method, kind }): TimelineEvent => ({
        at,
        label: kind === "error" ? "Refused" : (MESSAGES[method] ?? method),
        tone: kind === "error" ? "bad" : "",
        detail: method,
      }),
    ),
  ];
  const [violation] = violations;
  if (violation)
    events.push({
      at: violation.at,
      label: "The policy blocked something",
      tone: "warn",
      detail: `${violation.directive}: ${violation.blocked}`,
    });
  const thrown = lines.find(({ from }) => from === "script");
  if (thrown) events.push({ at: thrown.at, label: "A script failed", tone: "bad", detail: thrown.text });
  return events.sort((a, b) => a.at - b.at);
}
