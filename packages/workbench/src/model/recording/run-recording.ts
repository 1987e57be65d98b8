/**
 * Reads a recorded run of `vitrine eval`: a conversation with the recordings of its apps.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { CallItem, ModelItem, NoteItem, UserItem } from "@vitrine/wire";
import { RUN_FORMAT, RUN_VERSION, type RunHeader } from "../../node/run-file.js";
import { isFields, readContent, readResult } from "../app/foreign.js";
import { type Recording, RecordingError, readRecording } from "./recording.js";

/** An entry of a run. */
export type RunItem = UserItem | ModelItem | CallItem | NoteItem;

/** A run. */
export interface Run {
  readonly header: RunHeader;
  readonly items: readonly RunItem[];
  /** By the entry of their call. */
  readonly apps: ReadonlyMap<string, Recording>;
}

/** Maximum characters of a file, and its entries. */
const MOST_CHARACTERS = 256_000_000;
const MOST_ITEMS = 10_000;

/** Whether a file is a run, by its first line. */
export function isRun(text: string): boolean {
  const [first = ""] = text.slice(0, 10_000).split("\n", 1);
  return (
    first.includes(`"${RUN_FORMAT}"`) &&
    recordOf(parse(first.replace(/^\uFEFF/, "")))["format"] === RUN_FORMAT
  );
}

/**
 * Parses a file. It is untrusted, so every value is checked.
 *
 * @throws {RecordingError} with the line
 */
export function readRun(text: string): Run {
  if (text.length > MOST_CHARACTERS)
    throw new RecordingError("too-large", 0, `a recording has at most ${MOST_CHARACTERS} characters`);
  const [first = "", ...rest] = text.replace(/^\uFEFF/, "").split("\n");
  const header = readHeader(recordOf(parse(first)));
  const items: RunItem[] = [];
  const apps = new Map<string, Recording>();
  for (const [at, line] of rest.entries()) {
    if (line.trim() === "") continue;
    const number = at + 2;
    const read = parse(line);
    if (!isFields(read)) throw invalid(number, "not a JSON object; each line must be one");
    const { item, app, recording } = read;
    if (typeof app === "string" && typeof recording === "string") {
      apps.set(app, appRecording(recording, number));
      continue;
    }
    // Lines of unknown kinds are those of a newer writer.
    const entry = isFields(item) ? readItem(item, number) : undefined;
    if (entry && items.push(entry) > MOST_ITEMS)
      throw new RecordingError("too-large", number, `a run has at most ${MOST_ITEMS} entries`);
  }
  return { header, items, apps };
}

const invalid = (line: number, what: string): RecordingError =>
  new RecordingError("line-invalid", line, what);

function appRecording(text: string, line: number): Recording {
  try {
    return readRecording(text);
  } catch (error) {
    throw error instanceof RecordingError
      ? invalid(line, `its recording of an app: ${error.message}`)
      : error;
  }
}

function readHeader(read: Readonly<Record<string, unknown>>): RunHeader {
  const { version, at, title, model, run, outcome, reasons } = read;
  if (version !== RUN_VERSION)
    throw new RecordingError(
      "version-unknown",
      1,
      `this reader knows runs of version ${RUN_VERSION}: use the vitrine that wrote the file`,
    );
  if (typeof title !== "string" || typeof model !== "string")
    throw invalid(1, "the header needs title and model, which are texts");
  return {
    at: textOf(at),
    title,
    model,
    run: typeof run === "number" ? run : 1,
    outcome: outcome === "passed" || outcome === "failed" ? outcome : "error",
    reasons: Array.isArray(reasons) ? reasons.filter((each) => typeof each === "string") : [],
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** An entry with the parts that are shown; undefined for an unknown kind. */
function readItem(item: Readonly<Record<string, unknown>>, line: number): RunItem | undefined {
  const { kind, id } = item;
  if (typeof id !== "string" || id === "") throw invalid(line, 'the entry needs "id", which is text');
  const start = { id, at: typeof item["at"] === "number" ? item["at"] : 0 };
  switch (kind) {
    case "user":
      return { kind, ...start, content: readContent(item["content"]), ...speaker(item["from"], id) };
    case "model":
      return readAnswer(item, start);
    case "call":
      return readCall(item, start);
    case "note": {
      const { level, code, text } = item;
      const known = level === "warning" || level === "error" ? level : "info";
      return { kind, ...start, level: known, code: textOf(code), text: textOf(text) };
    }
    default:
      return undefined;
  }
}

interface Start {
  readonly id: string;
  readonly at: number;
}

/** An app that spoke for the user: it must not look like the user. */
function speaker(from: unknown, id: string): Pick<UserItem, "from"> {
  if (!isFields(from)) return {};
  return { from: { item: id, server: textOf(from["server"]), title: textOf(from["title"]) } };
}

function readAnswer(
  { model, text, state, problem, usage }: Readonly<Record<string, unknown>>,
  start: Start,
): ModelItem {
  const { code, message } = recordOf(problem);
  const { input, output } = recordOf(usage);
  return {
    kind: "model",
    ...start,
    model: textOf(model),
    text: textOf(text),
    state: state === "failed" || state === "stopped" ? state : "done",
    ...(typeof message === "string" && { problem: { code: textOf(code), message } }),
    ...(typeof input === "number" && typeof output === "number" && { usage: { input, output } }),
  };
}

function readCall(item: Readonly<Record<string, unknown>>, start: Start): CallItem {
  const { server, tool, state, input, result, problem, endedAt } = item;
  return {
    kind: "call",
    ...start,
    by: "model",
    server: textOf(server),
    tool: textOf(tool),
    state: state === "done" || state === "failed" ? state : "cancelled",
    input: recordOf(input),
    // An app is played from its recording, and never opened at a server.
    hasApp: false,
    ...(result !== undefined && { result: readResult(result) }),
    ...(typeof problem === "string" && { problem }),
    ...(typeof endedAt === "number" && { endedAt }),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
