/**
 * Log lines of a server (`notifications/message`), live, with the level that the server is asked for.
 *
 * @module
 */
import type { LoggingLevel } from "@vitrine/protocol";
import type { ServerLogLine } from "@vitrine/wire";
import { useCallback, useState } from "react";
import { Button } from "react-aria-components";
import { VList } from "virtua";
import { messageOf } from "../../model/messages/messages.js";
import { Choice } from "../choice.js";
import { SearchBox } from "../inspector/fields.js";
import { count } from "../inspector/format.js";
import { saveFile } from "../save-file.js";
import { useObservable } from "../use-observable.js";
import type { ServerTabProps } from "./server-inspector.js";

const LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The lines. */
export function LogTab({ inspected, shown }: ServerTabProps) {
  useObservable(inspected);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const change = useCallback((next: string) => setText(next), []);
  const canLog = shown.summary.capabilities.logging !== undefined;
  const part = text.toLowerCase();
  const { lines, level, droppedLines } = inspected;
  const found = lines.filter((line) => wordsOf(line).toLowerCase().includes(part));
  const setLevel = (id: string): void => {
    const wanted = LEVELS.find((each) => each === id);
    if (wanted)
      inspected.setLevel(wanted).then(
        () => setProblem(undefined),
        (error: unknown) => setProblem(messageOf(error)),
      );
  };
  return (
    <div className="in-messages">
      <div className="in-filters">
        <Choice
          label="Least level that the server sends"
          options={LEVELS.map((id) => ({ id, label: `${id} and worse` }))}
          value={level ?? null}
          placeholder="Level: the server's own"
          onChange={setLevel}
          isDisabled={!canLog}
        />
        <SearchBox label="Search in the log" value={text} onChange={change} />
      </div>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {found.length === 0 ? (
        <p className="in-none soft">
          {lines.length > 0
            ? "No line matches."
            : canLog
              ? "No lines yet. What the server logs while this inspector is open is listed here."
              : "The server does not declare that it logs."}
        </p>
      ) : (
        <VList className="in-lines" data={found} tabIndex={0} role="log" aria-label="Log of the server">
          {(line, index) => <Line key={index} line={line} />}
        </VList>
      )}
      <div className="in-foot soft small">
        <span>
          {count(found.length)} of {count(lines.length)}
          {droppedLines > 0 && `, ${count(droppedLines)} lost`}
        </span>
        <Button
          className="button quiet"
          isDisabled={found.length === 0}
          onPress={() => saveFile("log.json", JSON.stringify(found, undefined, 2), "application/json")}
        >
          Save
        </Button>
        <Button className="button quiet" onPress={() => inspected.clearLines()}>
          Clear
        </Button>
      </div>
    </div>
  );
}

const wordsOf = ({ logger = "", data }: ServerLogLine): string =>
  `${logger} ${typeof data === "string" ? data : JSON.stringify(data)}`.trim();

function Line({ line }: { line: ServerLogLine }) {
  const rank = LEVELS.indexOf(line.level as LoggingLevel);
  const tone = rank >= 4 ? "bad" : rank === 3 ? "warn" : "";
  return (
    <div className={`in-line ${tone}`}>
      <span className="in-time mono">{new Date(line.at).toLocaleTimeString()}</span>
      <span className={`badge ${tone}`}>{line.level}</span>
      <span className="in-line-text mono">{wordsOf(line).slice(0, 5000)}</span>
    </div>
  );
}
