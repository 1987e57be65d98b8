/**
 * Progress of a call.
 *
 * @module
 */
import { ProgressBar } from "react-aria-components";
import type { PageCall } from "../../model/app/call-item.js";

/** Props of a {@link CallProgress}. */
export interface CallProgressProps {
  call: PageCall;
  /** Whether the call waits for the user's answer. */
  isAsked: boolean;
}

/** A progress bar: determinate if the server sends a total. */
export function CallProgress({ call: { progress }, isAsked }: CallProgressProps) {
  const { progress: value = 0, total, message } = progress ?? {};
  if (isAsked) return <p className="small soft">Waiting for your answer</p>;
  const isKnown = total !== undefined && total > 0;
  return (
    <ProgressBar
      className="progress"
      aria-label="Progress of the call"
      isIndeterminate={!isKnown}
      value={isKnown ? Math.min(value, total) : 0}
      maxValue={isKnown ? total : 100}
    >
      {({ percentage, valueText }) => (
        <>
          <div className="progress-text small soft">
            {/* The words are the server's. */}
            <span>{message ?? (progress ? "In progress" : "Waiting for the server")}</span>
            <span>{isKnown ? valueText : progress ? value.toLocaleString("en") : ""}</span>
          </div>
          <div className="track">
            <div
              className={isKnown ? "track-fill" : "track-fill indeterminate"}
              style={isKnown ? { width: `${percentage ?? 0}%` } : {}}
            />
          </div>
        </>
      )}
    </ProgressBar>
  );
}
