/**
 * How far a call has come.
 *
 * @module
 */
import { ProgressBar } from "react-aria-components";
import type { CallItem } from "../../model/call-item.js";

/** A bar: with a length if the server says how much there is to do. */
export function CallProgress({ call: { progress } }: { call: CallItem }) {
  const { progress: value = 0, total, message } = progress ?? {};
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
            <span>{message ?? (progress ? "Under way" : "Waiting for the server")}</span>
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
