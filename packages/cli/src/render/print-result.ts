/**
 * Prints results for users.
 *
 * @module
 */
import { oneLine, printable, type Terminal } from "../terminal.js";
import type { RenderCause, RenderReport, RenderResult } from "./render-result.js";

/** Maximum lines of an app's text and console. */
const MOST_LINES = 12;

/** An app. */
export function printResult(terminal: Terminal, result: RenderResult): void {
  const { ok, cause, server, tool, size, timings, csp, consents, view } = result;
  const names = [tool && terminal.bold(oneLine(tool)), nameOf(server)].filter(Boolean);
  // Before a recording is read, neither is known.
  terminal.print(`${mark(terminal, ok)} ${names.join(" · ") || "not rendered"}`);
  if (cause) printCause(terminal, cause);
  const { appInfo } = view ?? {};
  const row = (name: string, value: string): void =>
    terminal.print(`  ${terminal.dim(name.padEnd(10))} ${oneLine(value)}`);
  if (result.static) row("app", "static document: it has no script, and did not receive the result");
  if (appInfo) row("app", `${appInfo["name"] ?? ""} ${appInfo["version"] ?? ""}`);
  if (size.height > 0) row("size", `${size.width} × ${size.height}`);
  if (result.replay)
    row(
      "replayed",
      `${result.replay.compared} actions compared, ${result.replay.untested} not, ${result.replay.steps} steps repeated`,
    );
  const reached = Object.entries(timings).flatMap(([step, at]) => (at === null ? [] : [`${step} ${at}`]));
  if (reached.length > 0) row("ms", reached.join(", "));
  for (const { directive, blocked } of csp.violations.slice(0, MOST_LINES))
    row("blocked", `${directive} ${blocked}`);
  for (const { method, subject, answer, option } of consents)
    row(answer === "allow" ? "allowed" : "denied", `${method} ${subject} (${option})`);
  printLines(
    terminal,
    "console",
    result.console.map(({ level, text, place }) => `${level}: ${text}${place ? ` (${place})` : ""}`),
  );
  printLines(terminal, "text", result.text.split("\n"));
  if (result.screenshot) row("screenshot", result.screenshot);
  if (result.trace) row("trace", result.trace);
  for (const { path, values } of result.redacted ?? [])
    row("redacted", `${path}: ${values > 0 ? values : "no match"}`);
}

/** Several apps, one line each. */
export function printReport(
  terminal: Terminal,
  { server, results, skipped, cause, screenshot }: RenderReport,
): void {
  terminal.print(terminal.bold(nameOf(server)));
  if (cause && results.length === 0) printCause(terminal, cause);
  for (const { ok, tool, size, timings, cause: why } of results) {
    const about = ok ? `${size.width} × ${size.height}, ready after ${timings.initialized} ms` : "";
    terminal.print(`${mark(terminal, ok)} ${oneLine(tool)}  ${terminal.dim(about)}`);
    if (why) printCause(terminal, why);
  }
  for (const { tool, reason } of skipped)
    terminal.print(`- ${oneLine(tool)}  ${terminal.dim(`skipped: ${oneLine(reason)}`)}`);
  if (screenshot) terminal.print(`  ${terminal.dim("contact sheet")} ${oneLine(screenshot)}`);
}

function printCause(terminal: Terminal, { code, message, fix }: RenderCause): void {
  terminal.print(`  ${terminal.red(oneLine(code))}: ${printable(message)}`);
  terminal.print(`  ${terminal.dim("fix")} ${printable(fix)}`);
}

function printLines(terminal: Terminal, name: string, lines: readonly string[]): void {
  const said = lines.map(oneLine).filter(Boolean);
  if (said.length === 0) return;
  terminal.print(`  ${terminal.dim(name)}`);
  for (const line of said.slice(0, MOST_LINES)) terminal.print(`    ${line.slice(0, 400)}`);
  if (said.length > MOST_LINES)
    terminal.print(`    ${terminal.dim(`… ${said.length - MOST_LINES} more; --json has all`)}`);
}

const mark = (terminal: Terminal, ok: boolean): string => (ok ? terminal.green("✓") : terminal.red("✗"));
const nameOf = ({ name, version }: RenderResult["server"]): string => oneLine(`${name} ${version}`);
