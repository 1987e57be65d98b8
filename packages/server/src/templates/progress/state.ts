/** Reads the progress of a job from a tool's data, for the page and for the text. */

/** State of a step. */
export type StepStatus = "done" | "active" | "failed" | "pending";

/** A step. */
export interface Step {
  readonly label: string;
  readonly status: StepStatus;
}

/** The progress in one result. */
export interface ProgressState {
  /** From 0 to 100; undefined if unknown. */
  readonly percent: number | undefined;
  /** All steps, if the tool lists them. */
  readonly steps: readonly Step[] | undefined;
  /** The last completed step. */
  readonly message: string;
  /** Whether the job is over. */
  readonly isDone: boolean;
  /** Whether a step or the whole job failed. */
  readonly isFailed: boolean;
}

/**
 * Reads a result's data: `{ progress, total }`, `{ percent }`, `{ steps }`, `{ message }` or `{ step }`, or a
 * string.
 */
export function stateOf(data: unknown): ProgressState {
  const {
    progress,
    total,
    percent: given,
    steps: listed,
    message,
    step,
    done,
    failed,
    status,
  } = Object(data);
  const steps: Step[] | undefined = Array.isArray(listed) ? listed.map(stepOf) : undefined;
  const count = steps?.filter(({ status }) => status === "done").length ?? 0;
  const percent =
    percentOf(given) ??
    percentOf((100 * number(progress)) / number(total)) ??
    percentOf((100 * count) / (steps?.length ?? 0));
  const active = steps?.find(({ status }) => status === "active" || status === "failed");
  const isFailed =
    failed === true ||
    statusOf(status) === "failed" ||
    (steps ?? []).some((each) => each.status === "failed");
  return {
    // A failed job keeps its last percentage.
    percent: done === true && !isFailed ? 100 : percent,
    steps,
    message: String(message ?? step ?? active?.label ?? (typeof data === "string" ? data : "")),
    isDone: done === true || failed === true || (done !== false && percent === 100),
    isFailed,
  };
}

/** A number, or a number in a string; otherwise NaN. */
const number = (value: unknown): number =>
  typeof value === "number" || (typeof value === "string" && value.trim()) ? Number(value) : Number.NaN;

function percentOf(value: unknown): number | undefined {
  const percent = number(value);
  // Rounded down, so that 100 means done; the millionth offsets rounding errors of divisions.
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, Math.floor(percent + 1e-6))) : undefined;
}

function stepOf(given: unknown): Step {
  const { label, name, status = "pending" } = Object(given);
  return { label: String(label ?? name ?? given), status: statusOf(status) };
}

const statusOf = (word: unknown): StepStatus =>
  STATUSES.find(([, words]) => words.test(String(word)))?.[0] ?? "pending";

/** Status words of tools. */
const STATUSES: readonly (readonly [StepStatus, RegExp])[] = [
  ["done", /^(done|complete|success|finish|ok$)/i],
  ["active", /^(active|running|current|in.?progress|started)/i],
  ["failed", /^(fail|error|cancel)/i],
];
