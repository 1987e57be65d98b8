import { PassThrough } from "node:stream";
import type { ServerStatus } from "@vitrine/servers";
import { describe, expect, it, vi } from "vitest";
import { devLog } from "./dev-log.js";
import { Terminal } from "./terminal.js";

function watched() {
  const err = new PassThrough({ encoding: "utf8" });
  const { log, status, stderr, again } = devLog(new Terminal(new PassThrough(), err, {}));
  const tell = (
    state: ServerStatus["state"],
    problem?: ServerStatus["problem"],
    more: Partial<ServerStatus> = {},
  ): void => status({ name: "shop", state, problem, capabilities: {}, starts: 1, ...more });
  const write = (text: string): void => stderr("shop", Buffer.from(text));
  return { log, tell, write, again, said: () => String(err.read() ?? "") };
}

const problem = {
  code: "server-failed",
  message: "shop ended with code 3",
  stderr: "no key\u001b[2J\nset KEY\n",
};
const shown = "shop  shop ended with code 3\n  its stderr:\n  │ no key\\u{1b}[2J\n  │ set KEY\n";

describe("devLog", () => {
  it("shows why a server failed, with the end of its stderr, once however often it is retried", () => {
    const { log, tell, said } = watched();
    tell("starting");
    for (const stderr of [problem.stderr, "no key at 12:01"]) {
      const failed = { ...problem, stderr };
      tell("waiting", failed);
      tell("idle", failed);
      tell("starting", failed);
    }
    log.warn({ server: "shop" }, `server failed: ${problem.message}`);
    log.error({ err: new Error(problem.message) }, "something failed");
    expect(said()).toBe(shown);
  });

  it("shows a running server's stderr by line, and the lines of its start once it is ready", () => {
    const { tell, write, said } = watched();
    tell("starting");
    write("tools/a: it is br");
    write("oken\n\n");
    expect(said()).toBe("");
    tell("ready");
    expect(said()).toBe("shop  ready\nshop  tools/a: it is broken\n");
    write("a call\u001b[2J\nand hal");
    expect(said()).toBe("shop  a call\\u{1b}[2J\n");
    write("f a line\r\nanother that never en");
    expect(said()).toBe("shop  and half a line\n");
    // Output before a failure is logged with the reason.
    tell("waiting", problem);
    write("no key\n");
    tell("waiting", problem);
    expect(said()).toBe(shown);
    write(`${"x".repeat(1000)}\n`.repeat(1000));
    tell("ready");
    const lines = said().trimEnd().split("\n");
    expect(lines).toHaveLength(21);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(420);
  });

  it("shows it again after a successful run, after a change, and when it fails in another way", () => {
    const { tell, again, said } = watched();
    tell("waiting", problem);
    tell("ready");
    tell("ready");
    tell("waiting", problem);
    again("shop");
    tell("waiting", problem);
    expect(said()).toBe(`${shown}shop  ready\n${shown}${shown}`);
    tell("waiting", { ...problem, message: "shop\nis gone", stderr: "x\n".repeat(1000) });
    const lines = said().split("\n");
    expect(lines.slice(0, 3)).toEqual(["shop  shop is gone", "  its stderr, last lines:", "  │ x"]);
    expect(lines.length).toBeLessThan(20);
    tell("stopped", problem);
    expect(said()).toBe("");
  });

  it("reports a server that is slow to start, and none that is fast or stopped", () => {
    vi.useFakeTimers();
    try {
      const { tell, said } = watched();
      for (const state of ["starting", "ready", "starting", "stopped"] as const) {
        tell(state);
        vi.advanceTimersByTime(4_000);
      }
      vi.advanceTimersByTime(60_000);
      expect(said()).toBe("shop  ready\n");
      const other = watched();
      other.tell("starting");
      vi.advanceTimersByTime(60_000);
      expect(other.said()).toBe("shop  has not answered yet\n");
    } finally {
      vi.useRealTimers();
    }
  });

  it("reports the first stray line with a solution, once until the user changes the server", () => {
    const { tell, again, said } = watched();
    const garbage = (count: number) => ({ garbage: { count, first: ["hello\u001b[2J"] } });
    const late = (count: number) => ({
      code: "server-failed",
      message: `shop could not be started: it printed ${count} lines that are not messages: make it write such lines to stderr`,
    });
    const first =
      'shop  it printed "hello\\\\u{1b}[2J", which is not a message: make it write such lines to stderr\n';
    tell("starting");
    tell("starting", undefined, garbage(1));
    expect(said()).toBe(first);
    tell("waiting", late(70), garbage(70));
    expect(said()).toBe(`shop  ${late(70).message}\n`);
    tell("starting", late(70));
    tell("starting", late(70), garbage(1));
    tell("waiting", late(71), garbage(71));
    expect(said()).toBe("");
    again("shop");
    tell("ready", undefined, garbage(1));
    expect(said()).toBe(`${first}shop  ready\n`);
  });

  it("reports other problems in one line each, and nothing that went well", () => {
    const { log, said } = watched();
    log.info("listening");
    log.info({ server: "shop" }, "server started");
    for (let times = 0; times < 2; times++) log.error({ err: new Error("the disk is full") }, "audit log");
    log.warn({ server: "shop" }, "changed: tool");
    expect(said()).toBe("audit log: the disk is full\nshop  changed: tool\n");
  });
});
