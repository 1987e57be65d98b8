/**
 * Progress of a call.
 *
 * @module
 */
import { readInvocationTexts } from "@vitrine/protocol";
import type { PageCall } from "../../model/app/call-item.js";
import type { Workbench } from "../../model/workbench.js";

/** Props of a {@link CallProgress}. */
export interface CallProgressProps {
  workbench: Workbench;
  call: PageCall;
  /** Whether the call waits for the user's answer. */
  isAsked: boolean;
}

/** A progress bar: determinate if the server sends a total. */
export function CallProgress({ workbench, call, isAsked }: CallProgressProps) {
  const { progress, server, tool } = call;
  const { progress: value = 0, total, message } = progress ?? {};
  if (isAsked) return <p className="small soft">Waiting for your answer</p>;
  const { invoking } = readInvocationTexts(workbench.servers.tool(server, tool));
  const isKnown = total !== undefined && total > 0;
  const share = isKnown ? Math.max(0, Math.min(value / total, 1)) : 0;
  const percentage = `${Math.round(share * 100)}%`;
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label="Progress of the call"
      {...(isKnown && {
        "aria-valuemin": 0,
        "aria-valuemax": total,
        "aria-valuenow": Math.min(value, total),
        "aria-valuetext": percentage,
      })}
    >
      <div className="progress-text small soft">
        {/* The words are the server's. */}
        <span>{message ?? (progress ? "In progress" : (invoking ?? "Waiting for the server"))}</span>
        <span>{isKnown ? percentage : progress ? value.toLocaleString("en") : ""}</span>
      </div>
      <div className="track">
        <div
          className={isKnown ? "track-fill" : "track-fill indeterminate"}
          style={isKnown ? { width: `${share * 100}%` } : {}}
        />
      </div>
    </div>
  );
}
