/**
 * The facts in the header of a call: its state, its caller, its time.
 *
 * @module
 */
import type { AppModel } from "../../model/app/app-model.js";
import type { PageCall } from "../../model/app/call-item.js";
import { useNow } from "../shell/use-now.js";

/** Props of {@link CallFacts}. */
export interface CallFactsProps {
  call: PageCall;
  /** The app that shows it here. */
  app: AppModel | undefined;
  isAsked: boolean;
}

/** The facts. */
export function CallFacts({ call, app, isAsked }: CallFactsProps) {
  const { state, at, endedAt, by, agent, appOf } = call;
  // A failure is shown in red once: its message below, or else the badge. The frame of a failed app has no red.
  const isExplained = call.problem !== undefined || (call.result?.isError ?? false);
  const failed = isExplained ? "" : "bad";
  const now = useNow(!call.isOver, 1000);
  const [kind, word] = {
    writing: ["accent", "being written"],
    running: ["", "running"],
    done: ["good", "done"],
    failed: [app?.state === "failed" ? "" : failed, "failed"],
    cancelled: ["warn", "cancelled"],
  }[state] as [string, string];
  return (
    // Spaces separate the words for screen readers: the row itself draws none.
    <span className="facts small soft">
      {/* An app that is shown needs no badge; a screen reader says it. */}
      <span className={state === "done" && app ? "visually-hidden" : `badge ${kind}`}>{word}</span>{" "}
      {app?.source.isRecording && <span className="badge warn">recording</span>}{" "}
      <span className="badge inspect-only">by {agent ?? (by === "model" ? "the model" : "you")}</span>{" "}
      {app?.state === "failed" && <span className={`badge ${failed}`}>app failed</span>}{" "}
      {app?.source.place?.static && <span className="badge">static document</span>}{" "}
      {(isAsked || (app?.questions ?? call.permissions.length) > 0) && (
        <span className="badge warn">needs your answer</span>
      )}{" "}
      <span className="inspect-only">{duration((call.isOver ? (endedAt ?? at) : now) - at)}</span>
      <time className="inspect-only" dateTime={new Date(at).toISOString()}>
        {new Date(at).toLocaleTimeString()}
      </time>
      <span className="mono inspect-only">
        {call.server} · {call.tool}
      </span>
      {appOf && <span>in the app {appOf.title}</span>}
    </span>
  );
}

const duration = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${Math.max(0, Math.round(milliseconds))} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
