/**
 * Runs a command in a terminal, as a user does.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";

/** The command and its folder. */
export interface PseudoTerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command with a user who types. */
export interface PseudoTerminal {
  readonly child: ChildProcess;
  /** Everything that the terminal has shown. */
  shown(): string;
  type(text: string): void;
  /** The exit code. */
  readonly code: Promise<number | null>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts the command. Needs `script` of util-linux. */
export function inPseudoTerminal(
  words: readonly string[],
  { cwd, env }: PseudoTerminalOptions,
): PseudoTerminal {
  const child = spawn("script", ["-qefc", `exec ${words.map(quoted).join(" ")}`, "/dev/null"], {
    cwd,
    env: { TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (data) => {
      shown += data;
    });
  return {
    child,
    shown: () => shown,
    type: (text) => void child.stdin.write(text),
    code: new Promise((resolve) => child.once("close", resolve)),
  };
}
