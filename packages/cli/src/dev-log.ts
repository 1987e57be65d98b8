/**
 * What a gateway does, for a person who watches it.
 *
 * @module
 */
import { StringDecoder } from "node:string_decoder";
import { createLog, type Log, SERVER_FAILED } from "@vitrine/gateway";
import type { ServerStatus } from "@vitrine/servers";
import { strayNews } from "./stray-lines.js";
import { oneLine, printable, type Terminal } from "./terminal.js";

/** What matters to somebody who writes a server: a line each, and none twice in a row. */
export interface DevLog {
  readonly log: Log;
  /** How a server is. Why it failed is said with its last words: once, however often it is tried again. */
  readonly status: (status: ServerStatus) => void;
  /** What a server writes to stderr while it works. What it wrote before it failed is told with why. */
  readonly stderr: (server: string, chunk: Buffer) => void;
  /** The person changed a server: if it fails in the same words, that is news. */
  again(server: string): void;
}

/** Milliseconds after which a person wonders what a server does. */
const SLOW = 5_000;

/** Says it on a terminal. */
export function devLog(terminal: Terminal): DevLog {
  /** What was said last of each server, and of the gateway. */
  const told = new Map<unknown, string>();
  /** The first line of each server that was no message. */
  const strays = new Map<string, string>();
  const slow = new Map<string, NodeJS.Timeout>();
  const errors = new Map<string, ErrorLines>();
  const note = (server: string, sentence: string): void =>
    terminal.note(`${terminal.dim(oneLine(server), "err")}  ${sentence}`);

  const write = (line: string): void => {
    const { level, msg, server, err } = readLine(line);
    // Of servers more is known than a log may say.
    if (String(msg).startsWith(SERVER_FAILED)) return;
    if (level !== "warn" && level !== "error" && level !== "fatal") return;
    const why = Object(err)["message"];
    const sentence = oneLine(`${String(msg)}${why ? `: ${String(why)}` : ""}`);
    // Whoever waited for a server that failed repeats why.
    const isKnown =
      told.get(server) === sentence ||
      [...told.values()].some((each) => why && each.endsWith(oneLine(String(why))));
    told.set(server, sentence);
    const red = terminal.red(sentence, "err");
    if (!isKnown && typeof server === "string") note(server, red);
    else if (!isKnown) terminal.note(red);
    // A fault of ours: with the place where it is.
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
    // While it starts anew, the problem is still that of the last time.
    if (state === "starting") {
      if (told.get(name) === "ready") told.delete(name);
      const wonder = (): void => note(name, terminal.dim("has not answered yet", "err"));
      if (!told.has(name)) slow.set(name, setTimeout(wonder, SLOW).unref());
    } else if (state === "ready") once(name, state, () => note(name, state));
    else if (problem) {
      const sentence = oneLine(problem.message);
      // How many lines of garbage there were is not news.
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

/** Lines of a server's that are kept until it works, and characters of each that are shown. */
const MOST_LINES = 20;
const MOST_CHARACTERS = 400;

/** What a server writes to stderr, line by line: told while it works, and what it wrote at its start when it does. */
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
    // A line without an end is not kept for ever.
    this.#begun = (lines.pop() ?? "").slice(0, MOST_CHARACTERS);
    const said = lines.filter((line) => line.trim() !== "").map((line) => line.slice(0, MOST_CHARACTERS));
    if (this.#isReady) for (const line of said) this.#tell(printable(line));
    else this.#kept = [...this.#kept, ...said].slice(-MOST_LINES);
  }

  /** Of one that does not work any more, its last words are told with why. */
  setReady(isReady: boolean): void {
    const kept = this.#kept;
    // Another process begins with another line.
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
