/** Attack E05 in a real terminal: a page withdraws its question while the user types, and asks another. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inPseudoTerminal } from "../../../testing/cli/pseudo-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-withdrawn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Asks twice. The first question is withdrawn when the file appears. */
const program = (file: string): string => `
  import { existsSync } from "node:fs";
  import { Terminal } from ${JSON.stringify(new URL("../dist/terminal.js", import.meta.url).href)};
  const terminal = new Terminal();
  const withdrawn = new AbortController();
  const timer = setInterval(() => existsSync(${JSON.stringify(file)}) && withdrawn.abort(new Error("gone")), 20);
  await terminal.confirm([], "Start one?", withdrawn.signal).catch(() => terminal.note("withdrawn"));
  clearInterval(timer);
  const since = performance.now();
  const isAllowed = terminal.confirm([], "Start two?");
  process.on("exit", () => terminal.note("waited " + (performance.now() - since)));
  terminal.note((await isAllowed) ? "ALLOWED" : "REFUSED");
`;

it.runIf(process.platform === "linux")(
  "a y without Enter counts for no later question, which comes two seconds later",
  async () => {
    const [script, file] = [join(folder, "ask.mjs"), join(folder, "withdraw")];
    writeFileSync(script, program(file));
    const { CI: _, ...env } = process.env;
    const { type, shown, code } = inPseudoTerminal([process.execPath, script], { cwd: folder, env });
    await expect.poll(shown, { timeout: 10_000 }).toMatch(/one\? \[y\/N\] $/);
    type("y");
    // The terminal shows what it keeps.
    await expect.poll(shown).toMatch(/\[y\/N\] y$/);
    writeFileSync(file, "");
    await expect.poll(shown, { timeout: 10_000 }).toMatch(/two\? \[y\/N\] $/);
    type("\n");
    expect(await code).toBe(0);
    expect(shown()).toContain("REFUSED");
    expect(Number(/waited (\d+)/.exec(shown())?.[1])).toBeGreaterThanOrEqual(2_000);
  },
  30_000,
);
