/**
 * Recordings: the messages of an app and its host in one portable file. The format is JSON lines: first a
 * header, then one event per line. docs/recording.md describes it.
 *
 * @module
 */

import type { HostContext, Implementation, ResourceMeta, Tool, ViewDialect } from "@vitrine/protocol";
import { isRecord, recordOf, VIEW_DIALECTS } from "@vitrine/protocol";
import type { Look } from "../diagnosis/look.js";
import { jsonOf } from "../messages/message-json.js";
import { type Act, readAct } from "./recorded-act.js";

export const RECORDING_FORMAT = "vitrine-recording";
/** Increased when an older reader would misread a newer file. Additions keep the number. */
export const RECORDING_VERSION = 1;
/** The usual file extension of a recording. */
export const RECORDING_ENDING = ".vitrine.jsonl";

/** Maximum characters of a file, and of one line: a message has at most 64 million. */
const MOST_CHARACTERS = 256_000_000;
const MOST_OF_A_LINE = 80_000_000;
const MOST_EVENTS = 250_000;

/** Describes what was recorded, and where. */
export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: number;
  /** Time of saving, such as `2026-11-15T12:00:00.000Z`. */
  readonly at: string;
  readonly server: string;
  readonly uri: string;
  readonly title: string;
  readonly tool?: Tool | undefined;
  /** The app itself, with `_meta.ui` of its resource. */
  readonly document: { readonly html: string; readonly meta: ResourceMeta };
  readonly host: Implementation;
  /** The host context at the end. */
  readonly context: HostContext;
  /** The id of the profile in force. */
  readonly profile: string;
  readonly look: Look;
  /** Relaxations that the operator had granted. A replay has none of them. */
  readonly relax: readonly string[];
  /** The dialects that the sandbox translated for it. */
  readonly dialects?: readonly ViewDialect[] | undefined;
  /** Number of dropped messages before the first one. */
  readonly dropped: number;
  /**
   * Whether the app had been open before in the same page: its stored state is not here. A replay starts
   * without it, and may differ because of that.
   */
  readonly restored?: boolean | undefined;
  /** Descriptions of the redactions; undefined if there are none. */
  readonly redacted?: readonly string[] | undefined;
}

/** A message: `in` from the app, `out` to it. */
export interface RecordedMessage {
  /** Milliseconds since the app was opened. */
  readonly t: number;
  readonly d: "in" | "out";
  readonly m: Readonly<Record<string, unknown>>;
  /** Whether the user was interacting with the app when it arrived. */
  readonly person?: boolean | undefined;
}
/** A step in the lifecycle of the app. */
export interface RecordedStep {
  readonly t: number;
  readonly step: string;
  readonly detail?: string | undefined;
}
/** A line of its log, or about it. */
export interface RecordedLine {
  readonly t: number;
  readonly line: { readonly level: string; readonly from: string; readonly text: string };
}
/** A policy violation. */
export interface RecordedViolation {
  readonly t: number;
  readonly violation: { readonly directive: string; readonly blocked: string };
}
/** An action from outside: a click when it was performed, a wait when it ended. */
export interface RecordedAct {
  readonly t: number;
  readonly did: Act;
}
/** The visible text of the app at the time of recording. */
export interface RecordedShown {
  readonly t: number;
  readonly shown: { readonly text?: string | undefined; readonly isDrawn: boolean };
}
/** Something that happened. */
export type RecordedEvent =
  | RecordedMessage
  | RecordedStep
  | RecordedLine
  | RecordedViolation
  | RecordedAct
  | RecordedShown;

/** A recording. */
export interface Recording {
  readonly header: RecordingHeader;
  readonly events: readonly RecordedEvent[];
  /** Number of lines of unknown kinds. */
  readonly skipped: number;
}

/** Why a file cannot be read. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  readonly code: "not-a-recording" | "version-unknown" | "line-invalid" | "too-large";
  /** From 1. */
  readonly line: number;

  constructor(code: RecordingError["code"], line: number, message: string) {
    super(line > 0 ? `line ${line}: ${message}` : message);
    this.code = code;
    this.line = line;
  }
}

export const isMessage = (event: RecordedEvent): event is RecordedMessage => "m" in event;
export const isStep = (event: RecordedEvent): event is RecordedStep => "step" in event;
export const isShown = (event: RecordedEvent): event is RecordedShown => "shown" in event;
export const isAct = (event: RecordedEvent): event is RecordedAct => "did" in event;

/** Serializes the file. */
export function writeRecording({ header, events }: Pick<Recording, "header" | "events">): string {
  const lines = events.map((event) => {
    if (!isMessage(event)) return JSON.stringify(event);
    const { t, d, m, person } = event;
    // In parts, so that large results in text form are not parsed just to be serialized again.
    const start = JSON.stringify({ t, d, ...(person && { person }) }).slice(0, -1);
    const written = jsonOf(m);
    // An app may send values that JSON cannot express, such as a cycle: only the fact is recorded.
    const { id, method } = m;
    return `${start},"m":${written.startsWith("{") ? written : JSON.stringify({ id, method, unwritable: true })}}`;
  });
  return `${[JSON.stringify(header), ...lines].join("\n")}\n`;
}

/**
 * Parses a file. It is untrusted, so everything that is used is checked.
 *
 * @throws {RecordingError} with the line
 */
export function readRecording(text: string): Recording {
  if (text.length > MOST_CHARACTERS)
    throw new RecordingError("too-large", 0, `a recording has at most ${MOST_CHARACTERS} characters`);
  let header: RecordingHeader | undefined;
  const events: RecordedEvent[] = [];
  let skipped = 0;
  let number = 0;
  for (const line of linesOf(text)) {
    number++;
    if (!line.trim()) continue;
    if (line.length > MOST_OF_A_LINE)
      throw new RecordingError("too-large", number, `a line has at most ${MOST_OF_A_LINE} characters`);
    if (!header) {
      header = readHeader(line, number);
      continue;
    }
    const event = readEvent(line, number);
    if (!event) skipped++;
    else if (events.push(event) > MOST_EVENTS)
      throw new RecordingError("too-large", number, `a recording has at most ${MOST_EVENTS} events`);
  }
  if (!header) throw new RecordingError("not-a-recording", 0, "the file is empty");
  return { header, events, skipped };
}

function* linesOf(text: string): Generator<string> {
  for (let start = text.startsWith("\uFEFF") ? 1 : 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    yield text.slice(start, end < 0 ? text.length : end);
    if (end < 0) return;
    start = end + 1;
  }
}

function readHeader(line: string, number: number): RecordingHeader {
  const read = parse(line);
  if (!isRecord(read) || read["format"] !== RECORDING_FORMAT)
    throw new RecordingError(
      "not-a-recording",
      number,
      `this is not a recording: its first line must be JSON with "format": "${RECORDING_FORMAT}"`,
    );
  const { version } = read;
  if (version !== RECORDING_VERSION) {
    const known = `this reader knows version ${RECORDING_VERSION}`;
    throw new RecordingError(
      "version-unknown",
      number,
      typeof version === "number" && version > RECORDING_VERSION
        ? `the recording has version ${version}, and ${known}: use a newer vitrine`
        : `the recording has no valid version, and ${known}`,
    );
  }
  const { document } = read;
  const need = (name: string, isThere: boolean, what: string): void => {
    if (!isThere) throw new RecordingError("line-invalid", number, `the header needs ${name}, ${what}`);
  };
  for (const name of ["at", "server", "uri", "title"])
    need(name, typeof read[name] === "string", "which is text");
  need("document", isRecord(document), "which is an object");
  const { html, meta } = document as Record<string, unknown>;
  need("document.html", typeof html === "string", "which is text");
  const { tool, host, context, look, relax, redacted } = read;
  const text = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  const { name, version: release } = recordOf(host);
  const spoken = VIEW_DIALECTS.filter((each) => text(read["dialects"]).includes(each));
  // Fields that a frame or the gateway checks again, or that are only displayed, need only the right type.
  return {
    format: RECORDING_FORMAT,
    version,
    at: `${read["at"]}`,
    server: `${read["server"]}`,
    uri: `${read["uri"]}`,
    title: `${read["title"]}`,
    ...(isRecord(tool) && typeof tool["name"] === "string" && { tool: tool as unknown as Tool }),
    document: { html: `${html}`, meta: recordOf(meta) as ResourceMeta },
    host: { name: `${name ?? ""}`, version: `${release ?? ""}` },
    context: recordOf(context) as HostContext,
    profile: `${read["profile"] ?? ""}`,
    look: recordOf(look) as Look,
    relax: text(relax),
    ...(spoken.length > 0 && { dialects: spoken }),
    dropped: typeof read["dropped"] === "number" ? read["dropped"] : 0,
    ...(read["restored"] === true && { restored: true }),
    ...(Array.isArray(redacted) && { redacted: text(redacted) }),
  };
}

/** Parses one event; undefined for an unknown kind. */
function readEvent(line: string, number: number): RecordedEvent | undefined {
  const wrong = (what: string): RecordingError => new RecordingError("line-invalid", number, what);
  const read = parse(line);
  if (!isRecord(read)) throw wrong("not a JSON object; each line must be one");
  const { t, d, m, step, detail, line: written, violation, did, shown } = read;
  if (typeof t !== "number" || !(t >= 0))
    throw wrong('"t" must be the milliseconds since the app was opened');
  if (m !== undefined || d !== undefined) {
    if (d !== "in" && d !== "out") throw wrong('"d" must be "in" or "out"');
    if (!isRecord(m)) throw wrong('"m" must be a message, which is an object');
    return { t, d, m, ...(read["person"] === true && { person: true }) };
  }
  if (step !== undefined) {
    if (typeof step !== "string") throw wrong('"step" must be text');
    return { t, step, ...(typeof detail === "string" && { detail }) };
  }
  if (written !== undefined) {
    const { level, from, text } = recordOf(written);
    if (typeof text !== "string") throw wrong('"line" must be an object with "text"');
    return { t, line: { level: `${level ?? "info"}`, from: `${from ?? "log"}`, text } };
  }
  if (violation !== undefined) {
    const { directive, blocked } = recordOf(violation);
    if (typeof directive !== "string") throw wrong('"violation" must be an object with "directive"');
    return { t, violation: { directive, blocked: `${blocked ?? ""}` } };
  }
  if (did !== undefined) {
    const act = readAct(recordOf(did));
    if (!act) throw wrong('"did" must be an object with "click" or "wait"');
    return { t, did: act };
  }
  if (shown !== undefined) {
    const { text, isDrawn } = recordOf(shown);
    if (typeof isDrawn !== "boolean") throw wrong('"shown" must be an object with "isDrawn"');
    return { t, shown: { isDrawn, ...(typeof text === "string" && { text }) } };
  }
  return undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
