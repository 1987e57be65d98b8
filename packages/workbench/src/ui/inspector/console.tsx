/**
 * Log lines and script errors of an app.
 *
 * @module
 */
import { useCallback, useState } from "react";
import { VList } from "virtua";
import type { AppLog, LoggedLine } from "../../model/app/app-log.js";
import { withPlace } from "../../model/diagnosis/diagnosis-facts.js";
import { Choice } from "../choice.js";
import { useObservable } from "../use-observable.js";
import { SearchBox } from "./fields.js";
import { count, moment } from "./format.js";

/** In MCP's order, least severe first. */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const FROM = {
  log: "logged by the app",
  console: "console",
  script: "thrown by its script",
  host: "noticed by this page",
};

const OPTIONS = [
  { id: "debug", label: "All levels" },
  { id: "info", label: "Info and worse" },
  { id: "warning", label: "Warnings and worse" },
  { id: "error", label: "Errors only" },
];

/** Lines, with a filter. */
export function ConsoleTab({ log }: { log: AppLog }) {
  useObservable(log);
  const [least, setLeast] = useState("debug");
  const [text, setText] = useState("");
  const change = useCallback((next: string) => setText(next), []);
  const part = text.toLowerCase();
  const lines = log.lines.filter(
    (line) => rank(line) >= LEVELS.indexOf(least) && line.text.toLowerCase().includes(part),
  );
  return (
    <div className="in-messages">
      <div className="in-filters">
        <Choice label="Level" options={OPTIONS} value={least} onChange={setLeast} />
        <SearchBox label="Search in the lines" value={text} onChange={change} />
      </div>
      {lines.length === 0 ? (
        <p className="in-none soft">
          {log.lines.length > 0
            ? "No line matches."
            : "No lines yet. This tab lists messages that the app logs with notifications/message, errors of its scripts and, if the gateway has sandbox.console on, their console output."}
        </p>
      ) : (
        <VList className="in-lines" data={lines} tabIndex={0} role="log" aria-label="Lines">
          {(line, index) => <Line key={index} line={line} />}
        </VList>
      )}
      <div className="in-foot soft small">
        {count(lines.length)} of {count(log.lines.length)}
      </div>
    </div>
  );
}

/** An unknown level counts as info. */
const rank = ({ level }: LoggedLine): number => {
  const known = LEVELS.indexOf(level);
  return known < 0 ? 1 : known;
};

function Line({ line }: { line: LoggedLine }) {
  const { at, level, from } = line;
  const tone = rank(line) >= 4 ? "bad" : rank(line) === 3 ? "warn" : "";
  return (
    <div className={`in-line ${tone}`}>
      <span className="in-time mono">{moment(at)}</span>
      <span className={`badge ${tone}`}>{level}</span>
      <span className="in-line-text mono">{withPlace(line).slice(0, 5000)}</span>
      <span className="soft small">{FROM[from]}</span>
    </div>
  );
}
