/**
 * The file of a recorded run: a conversation with the recordings of its apps. The format is JSON lines: first a header, then
 * one entry or one app per line. docs/eval.md describes it.
 *
 * @module
 */

export const RUN_FORMAT = "vitrine-run";
/** Increased when an older reader would misread a newer file. */
export const RUN_VERSION = 1;

/** Describes the run. */
export interface RunHeader {
  /** Time of the end, such as `2026-11-15T12:00:00.000Z`. */
  readonly at: string;
  /** The name of the case. */
  readonly title: string;
  /** `provider/model`. */
  readonly model: string;
  /** From 1. */
  readonly run: number;
  readonly outcome: "passed" | "failed" | "error";
  /** Why it is not as expected, or could not be judged. */
  readonly reasons: readonly string[];
}

/** A run to write. */
export interface RunRecording {
  readonly header: RunHeader;
  /** The entries of the conversation. */
  readonly items: readonly object[];
  /** Recordings of apps as text, by the entry of their call. */
  readonly apps: ReadonlyMap<string, string>;
}

/** The text of the file. */
export function writeRun({ header, items, apps }: RunRecording): string {
  const lines = [
    { format: RUN_FORMAT, version: RUN_VERSION, ...header },
    ...items.map((item) => ({ item })),
    ...[...apps].map(([app, recording]) => ({ app, recording })),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}
