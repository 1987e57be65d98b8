/**
 * The timeline of an app.
 *
 * @module
 */
import type { AppModel } from "../../model/app/app-model.js";
import { useObservable } from "../use-observable.js";
import { duration, moment } from "./format.js";
import { timelineOf } from "./timeline-events.js";

/** Milliseconds of a pause that ends the chart: then the app has started, or failed. */
const PAUSE = 10_000;

/** The start as a chart, and all events as a list. */
export function TimelineTab({ app }: { app: AppModel }) {
  useObservable(app.log);
  const events = timelineOf(app.log);
  const last = events.findIndex(
    ({ at }, index) => (events[index + 1]?.at ?? Number.POSITIVE_INFINITY) - at > PAUSE,
  );
  const drawn = events.slice(0, last + 1);
  const end = drawn.at(-1)?.at || 1;
  return (
    <div className="in-scroll">
      {/* The list says the same. */}
      <div className="timeline" aria-hidden="true">
        {drawn.map(({ at, label, tone }) => (
          <span
            key={`${at} ${label}`}
            className={`timeline-dot ${tone}`}
            style={{ left: `${(100 * at) / end}%` }}
            title={`${label}, ${moment(at)}`}
          />
        ))}
        <span className="timeline-from soft small">0</span>
        <span className="timeline-to soft small">{moment(end)}</span>
      </div>
      <ol className="timeline-list">
        {events.map(({ at, label, detail, tone }, index) => (
          <li key={`${at} ${label}`} className={tone}>
            <span className="in-time mono">{moment(at)}</span>
            <span className="timeline-step soft small">
              {index > 0 && `+${duration(at - (events[index - 1]?.at ?? 0))}`}
            </span>
            <span>
              {label} {detail && <code className="soft">{detail}</code>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
