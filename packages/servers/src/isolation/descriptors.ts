/**
 * Open files that the gateway got from whoever started it. A child would inherit them too, past every wall.
 *
 * @module
 */
import { openSync, readdirSync, readFileSync } from "node:fs";

const CLOSED_ON_EXEC = 0o2_000_000;

let nothing: number | undefined;

/**
 * The `stdio` of a child after its first entries: what would be inherited becomes `/dev/null`. Node closes its own
 * files by itself.
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

/** In ascending order. Elsewhere than on Linux nobody tells. */
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
    // It was the one with which the folder was read.
    return true;
  }
}
