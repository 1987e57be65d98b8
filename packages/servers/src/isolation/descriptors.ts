/**
 * Keeps file descriptors that the gateway inherited from its own parent away from servers: they would bypass
 * every sandbox.
 *
 * @module
 */
import { openSync, readdirSync, readFileSync } from "node:fs";

const CLOSED_ON_EXEC = 0o2_000_000;

let nothing: number | undefined;

/**
 * The `stdio` of a child after its first entries: inherited descriptors become `/dev/null`. Node closes its
 * own files by itself.
 */
export function withoutInherited(first: readonly "pipe"[]): ("pipe" | "ignore" | number)[] {
  const stdio: ("pipe" | "ignore" | number)[] = [...first];
  for (const descriptor of inherited()) {
    if (descriptor < first.length) continue;
    while (stdio.length < descriptor) stdio.push("ignore");
    stdio[descriptor] = nothing ??= openSync("/dev/null", "r");
  }
  return stdio;
}

/** Inherited descriptors, in ascending order. They can be listed on Linux only. */
function inherited(): number[] {
  if (process.platform !== "linux") return [];
  const descriptors = readdirSync("/proc/self/fdinfo").map(Number);
  return descriptors
    .filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor))
    .sort((a, b) => a - b);
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const [, flags = ""] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) !== 0;
  } catch {
    // This descriptor was the one used to read the folder.
    return true;
  }
}
