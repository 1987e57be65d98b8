/**
 * The last lines that each server wrote to stderr, and what became of it.
 *
 * @module
 */
import { StringDecoder } from "node:string_decoder";
import type { ServerStatus } from "@vitrine/servers";
import type { StderrLine } from "@vitrine/wire";

/** Lines kept per server. */
const MAX_LINES = 500;
const MAX_LENGTH = 2_000;
/** Milliseconds in which new lines are collected, so that a chatty server does not flood a page. */
const PAUSE = 100;

/** The log of one server. */
interface Log {
  readonly lines: StderrLine[];
  readonly decoder: StringDecoder;
  /** A line that has not ended. */
  rest: string;
  /** Lines that no listener has received. */
  fresh: StderrLine[];
  timer: NodeJS.Timeout | undefined;
  /** The last note, which is not repeated. */
  noted: string | undefined;
}

/** Keeps the logs, and tells listeners of new lines. */
export class ServerLogs {
  readonly #logs = new Map<string, Log>();
  readonly #onlines: (server: string, lines: StderrLine[]) => void;

  constructor(onlines: (server: string, lines: StderrLine[]) => void) {
    this.#onlines = onlines;
  }

  /** The last lines of a server. */
  lines(server: string): StderrLine[] {
    return [...(this.#logs.get(server)?.lines ?? [])];
  }

  /** Adds output of a program. */
  write(server: string, chunk: Buffer): void {
    const log = this.#log(server);
    const lines = (log.rest + log.decoder.write(chunk)).split(/\r?\n/);
    // A program that never ends its line must not fill the memory.
    log.rest = (lines.pop() ?? "").slice(0, MAX_LENGTH);
    this.#add(
      server,
      log,
      lines.map((text) => ({ at: Date.now(), text: text.slice(0, MAX_LENGTH) })),
    );
  }

  /** Notes a change of state. */
  note({ name, state, problem, crash }: ServerStatus): void {
    if (state === "idle") return;
    const log = this.#log(name);
    const why = state === "starting" || state === "ready" ? undefined : (problem ?? crash)?.message;
    const text = why === undefined ? state : `${state}: ${why}`;
    if (text === log.noted) return;
    log.noted = text;
    const ended = log.rest === "" ? [] : [{ at: Date.now(), text: log.rest }];
    log.rest = "";
    this.#add(name, log, [
      ...ended,
      { at: Date.now(), text: text.slice(0, MAX_LENGTH), note: true as const },
    ]);
  }

  close(): void {
    for (const { timer } of this.#logs.values()) clearTimeout(timer);
  }

  #log(server: string): Log {
    const known = this.#logs.get(server);
    if (known) return known;
    const log: Log = {
      lines: [],
      decoder: new StringDecoder("utf8"),
      rest: "",
      fresh: [],
      timer: undefined,
      noted: undefined,
    };
    this.#logs.set(server, log);
    return log;
  }

  #add(server: string, log: Log, lines: readonly StderrLine[]): void {
    if (lines.length === 0) return;
    log.lines.push(...lines.slice(-MAX_LINES));
    log.lines.splice(0, log.lines.length - MAX_LINES);
    log.fresh = [...log.fresh, ...lines].slice(-MAX_LINES);
    log.timer ??= setTimeout(() => {
      const { fresh } = log;
      log.fresh = [];
      log.timer = undefined;
      this.#onlines(server, fresh);
    }, PAUSE).unref();
  }
}
