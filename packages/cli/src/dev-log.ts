/**
 * Logs a gateway's activity for a developer.
 *
 * @module
 */
import { StringDecoder } from "node:string_decoder";
import { createLog, type Log, SERVER_FAILED } from "@vitrine/gateway";
import type { ServerStatus } from "@vitrine/servers";
import { strayNews } from "./stray-lines.js";
import { oneLine, printable, type Terminal } from "./terminal.js";

/** A line per relevant event, without consecutive repetitions. */
export interface DevLog {
  readonly log: Log;
  /**
   * Logs a server's state. The reason of a failure is logged once, with the server's last output, however
   * often it is retried.
   */
  readonly status: (status: ServerStatus) => void;
  /** Logs a running server's stderr. Output before a failure is logged with the reason. */
  readonly stderr: (server: string, chunk: Buffer) => void;
  /** The user changed a server, so that the same failure is logged again. */
  again(server: string): void;
}

/** Milliseconds after which a start counts as slow. */
const SLOW = 5_000;

/** Logs to a terminal. */
export function devLog(terminal: Terminal): DevLog {
  /** The last line of each server, and of the gateway. */
  const told = new Map<unknown, string>();
  /** The first line of each server's stdout that was not a message. */
  const strays = new Map<string, string>();
  const slow = new Map<string, NodeJS.Timeout>();
  const errors = new Map<string, ErrorLines>();
  const note = (server: string, sentence: string): void =>
    terminal.note(`${terminal.dim(oneLine(server), "err")}  ${sentence}`);

  const write = (line: string): void => {
    const { level, msg, server, err } = readLine(line);
    // The status listener reports server failures with more detail than a log may contain.
    if (String(msg).startsWith(SERVER_FAILED)) return;
    if (level !== "warn" && level !== "error" && level !== "fatal") return;
    const why = Object(err)["message"];
    const sentence = oneLine(`${String(msg)}${why ? `: ${String(why)}` : ""}`);
    // Do not repeat a server's failure for each caller that waited for it.
    const isKnown =
      told.get(server) === sentence ||
      [...told.values()].some((each) => why && each.endsWith(oneLine(String(why))));
    told.set(server, sentence);
    const red = terminal.red(sentence, "err");
    if (!isKnown && typeof server === "string") note(server, red);
    else if (!isKnown) terminal.note(red);
    // Internal error: print the stack.
    if (level === "fatal") terminal.note(terminal.dim(String(Object(err)["stack"] ?? ""), "err"));
  };

  const once = (server: string, sentence: string, say: () => void): void => {
    if (told.get(server) === sentence) return;
    told.set(server, sentence);
    say();
  };

  const status = ({ name, state, problem, garbage }: ServerStatus): void => {
    clearTimeout(slow.get(name));
    slow.delete(name);
    if (state === "stopped") return;
    const stray = garbage?.first[0];
    if (stray !== undefined && strays.get(name) !== stray) {
      strays.set(name, stray);
      note(name, terminal.red(strayNews(stray), "err"));
    }
    // During a restart, the problem is still the previous one.
    if (state === "starting") {
      if (told.get(name) === "ready") told.delete(name);
      const wonder = (): void => note(name, terminal.dim("has not answered yet", "err"));
      if (!told.has(name)) slow.set(name, setTimeout(wonder, SLOW).unref());
    } else if (state === "ready") once(name, state, () => note(name, state));
    else if (problem) {
      const sentence = oneLine(problem.message);
      // The number of stray lines is not news.
      once(name, sentence.replace(/\bprinted \d+ lines\b/, "printed lines"), () => {
        note(name, terminal.red(sentence, "err"));
        terminal.lastWords(problem.stderr);
      });
    }
    errorsOf(name).setReady(state === "ready");
  };

  const errorsOf = (server: string): ErrorLines => {
    const known = errors.get(server) ?? new ErrorLines((line) => note(server, terminal.dim(line, "err")));
    errors.set(server, known);
    return known;
  };

  const again = (server: string): void => {
    told.delete(server);
    strays.delete(server);
  };

  const stderr = (server: string, chunk: Buffer): void => errorsOf(server).push(chunk);

  return { log: createLog({ stream: { write } }), status, stderr, again };
}

/** Maximum lines kept until a server is ready, and characters shown of each. */
const MOST_LINES = 20;
const MOST_CHARACTERS = 400;

/** A server's stderr by line: logged while it is ready; the lines of its start are logged once it is. */
class ErrorLines {
  readonly #tell: (line: string) => void;
  #decoder = new StringDecoder("utf8");
  #kept: string[] = [];
  #begun = "";
  #isReady = false;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(chunk: Buffer): void {
    const lines = `${this.#begun}${this.#decoder.write(chunk)}`.split(/\r?\n/);
    // Limit the length of an unfinished line.
    this.#begun = (lines.pop() ?? "").slice(0, MOST_CHARACTERS);
    const said = lines.filter((line) => line.trim() !== "").map((line) => line.slice(0, MOST_CHARACTERS));
    if (this.#isReady) for (const line of said) this.#tell(printable(line));
    else this.#kept = [...this.#kept, ...said].slice(-MOST_LINES);
  }

  /** When a server fails, its last output is logged with the reason. */
  setReady(isReady: boolean): void {
    const kept = this.#kept;
    // A new process starts with a new line.
    if (this.#isReady && !isReady) {
      this.#begun = "";
      this.#decoder = new StringDecoder("utf8");
    }
    this.#isReady = isReady;
    this.#kept = [];
    if (isReady) for (const line of kept) this.#tell(printable(line));
  }
}

function readLine(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return { level: "warn", msg: line };
  }
}
