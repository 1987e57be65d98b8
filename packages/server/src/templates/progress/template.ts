/**
 * Progress of a long job: a bar, its steps, and a way to stop it.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { type StepStatus, stateOf } from "./state.js";

/** Configuration of {@link progress}. */
export interface ProgressConfig {
  readonly title?: string | undefined;
  /** Whether the percentage is shown; true by default. */
  readonly showPercentage?: boolean | undefined;
  /** Whether the current step is shown; true by default. */
  readonly showCurrentStep?: boolean | undefined;
  /** Called to stop the job, after a confirmation. Without it, the job cannot be stopped. */
  readonly cancelTool?: string | undefined;
  /** Its arguments; `cancelArgs` in the data are added. */
  readonly cancelArgs?: Readonly<Record<string, unknown>> | undefined;
  /** The confirmation; "Are you sure you want to cancel?" by default. */
  readonly cancelConfirm?: string | undefined;
  /** Polled for progress, until its data has `done: true` or 100 percent. */
  readonly pollTool?: string | undefined;
  /** Its arguments; `pollArgs` in the data, such as the job's id, are added. */
  readonly pollArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds between two polls; 2,000 by default. */
  readonly pollInterval?: number | undefined;
}

const args: JsonSchema = { type: "object", default: {} };
const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Progress" },
    showPercentage: { type: "boolean", default: true },
    showCurrentStep: { type: "boolean", default: true },
    cancelTool: {
      type: "string",
      minLength: 1,
      description: "Called to stop the job, after a confirmation.",
    },
    cancelArgs: { ...args, description: "Arguments of cancelTool; cancelArgs in the data are added." },
    cancelConfirm: { type: "string", default: "Are you sure you want to cancel?" },
    pollTool: { type: "string", minLength: 1, description: "Polled for progress." },
    pollArgs: { ...args, description: "Arguments of pollTool; pollArgs in the data are added." },
    pollInterval: {
      type: "integer",
      minimum: 100,
      default: 2000,
      description: "Milliseconds between polls.",
    },
  },
  additionalProperties: false,
};

const MARKS: Readonly<Record<StepStatus, string>> = {
  done: "[x]",
  active: "[ ]",
  pending: "[ ]",
  failed: "[ ]",
};

/** A sentence, and the steps as a checklist. */
function textOfProgress(data: unknown, { title = "Progress" }: ProgressConfig): string {
  const results = Array.isArray(data) ? data : [data];
  const states = results.map(stateOf);
  const { percent, steps, message, isDone, isFailed } = states.at(-1) ?? stateOf(undefined);
  const reached = percent === undefined ? "" : `${percent} %`;
  const howFar = isFailed ? `failed${reached && ` at ${reached}`}` : isDone ? "done" : reached;
  const sentence = `${title}: ${[howFar, message].filter(Boolean).join(", ") || "working"}`;
  const lines = (steps ?? []).map(({ label, status }) => {
    const word = status === "active" || status === "failed" ? ` (${status})` : "";
    return `- ${MARKS[status]} ${label}${word}`;
  });
  const before = steps
    ? []
    : states.slice(0, -1).flatMap((state) => (state.message ? [`- [x] ${state.message}`] : []));
  return [sentence, [...before, ...lines].join("\n")].filter(Boolean).join("\n\n");
}

/**
 * Shows the progress of a job. Accepts `{ progress, total }` or `{ percent }`, `{ steps: [{ label, status }]
 * }`, and `{ message }`, `{ step }` or a string for the completed step. `{ done: true }` ends it.
 *
 * @example
 * ```ts source="../../server.examples.ts#progress"
 * const build = view({
 *   name: "build",
 *   template: progress,
 *   config: { title: "Build", pollTool: "build_status", pollInterval: 1000, cancelTool: "stop_build" },
 * });
 *
 * ```
 */
export const progress: Template<ProgressConfig> = builtIn({
  name: "progress",
  title: "Progress",
  schema,
  text: textOfProgress,
});
