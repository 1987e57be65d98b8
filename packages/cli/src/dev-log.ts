/**
 * The gateway's log, for a person who watches it.
 *
 * @module
 */
import { createLog, type Log } from "@vitrine/gateway";
import { oneLine, type Terminal } from "./terminal.js";

/** A log that says what matters to somebody who writes a server: a line each, and none twice in a row. */
export function devLog(terminal: Terminal): Log {
  const told = new Map<unknown, string>();
  const write = (line: string): void => {
    const { level, msg, server, err } = readLine(line);
    const name = typeof server === "string" ? `${terminal.dim(oneLine(server), "err")}  ` : "";
    if (msg === "server started") {
      told.delete(server);
      terminal.note(`${name}ready`);
      return;
    }
    if (level !== "warn" && level !== "error" && level !== "fatal") return;
    const why = Object(err)["message"];
    const sentence = oneLine(`${String(msg)}${why ? `: ${String(why)}` : ""}`);
    // A server that is tried again and again fails in the same words, and whoever waited for it repeats them.
    const isKnown =
      told.get(server) === sentence || [...told.values()].some((each) => why && each.endsWith(why));
    told.set(server, sentence);
    if (!isKnown) terminal.note(`${name}${terminal.red(sentence, "err")}`);
    // A fault of ours: with the place where it is.
    if (level === "fatal") terminal.note(terminal.dim(String(Object(err)["stack"] ?? ""), "err"));
  };
  return createLog({ stream: { write } });
}

function readLine(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return { level: "warn", msg: line };
  }
}
