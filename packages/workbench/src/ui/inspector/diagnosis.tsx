/**
 * Why is it blank?
 *
 * @module
 */
import { useEffect, useReducer } from "react";
import type { AppModel } from "../../model/app/app-model.js";
import { diagnose, type Diagnosis as Found, lookAgainIn } from "../../model/diagnosis/diagnose.js";
import { useObservable } from "../use-observable.js";
import "./diagnosis.css";

/** The current diagnosis of an app. */
export function useDiagnosis(app: AppModel): Found | undefined {
  useObservable(app);
  useObservable(app.log);
  const [, look] = useReducer((times: number) => times + 1, 0);
  const again = lookAgainIn(app);
  const isWaiting = again !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a single wait, not one for each message.
  useEffect(() => {
    if (again === undefined) return undefined;
    const timer = setTimeout(look, again);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return diagnose(app);
}

const MARKS = { error: "✕", warning: "!", info: "i" };

function Mark({ level }: Pick<Found, "level">) {
  return (
    <span className="diagnosis-mark" aria-hidden="true">
      {MARKS[level]}
    </span>
  );
}

/** Evidence, partly text from the app and its server. */
function Evidence({ evidence }: Pick<Found, "evidence">) {
  if (evidence.length === 0) return null;
  return (
    <ul className="diagnosis-evidence">
      {evidence.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}

/** A line about a problem, below the app's frame; empty if there is none, or the frame itself shows it. */
export function Diagnosis({ app }: { app: AppModel }) {
  const found = useDiagnosis(app);
  if (!found || found.level === "info" || app.state === "failed") return null;
  const { level, cause, fix, evidence } = found;
  const line = (
    <span role="status">
      <Mark level={level} />
      {cause.message} {fix} <code>{cause.code}</code>
    </span>
  );
  const className = `diagnosis-line ${level}`;
  if (evidence.length === 0) return <p className={className}>{line}</p>;
  return (
    <details className={className}>
      <summary>{line}</summary>
      <Evidence evidence={evidence} />
    </details>
  );
}

/** The cause, the evidence and the solution. */
export function DiagnosisPanel({ app }: { app: AppModel }) {
  const found = useDiagnosis(app);
  if (!found) return null;
  const { cause, evidence, fix, level } = found;
  return (
    <section
      className={`diagnosis ${level}`}
      aria-label={level === "error" ? "Why is it blank?" : "About this app"}
    >
      <h3>
        <Mark level={level} />
        {cause.message} <code>{cause.code}</code>
      </h3>
      {level !== "info" && <Evidence evidence={evidence} />}
      <p>
        <strong>What to do:</strong> {fix}
      </p>
    </section>
  );
}
