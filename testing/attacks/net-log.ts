/** Host names that a browser looked up, from the log of its network service (`--log-net-log`). */
import { readFileSync } from "node:fs";

/** The host names that were looked up, once for each time. */
export function readLookups(path: string): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  const [, type] = /"HOST_RESOLVER_MANAGER_REQUEST":(\d+)/.exec(lines[0] ?? "") ?? [];
  if (type === undefined) throw new Error(`${path} is no log of a network service`);
  return lines.flatMap((line) => {
    if (!line.includes(`"type":${type}}`)) return [];
    // Each line has one event; the first event of a request names the host.
    const { params, phase } = JSON.parse(line.replace(/,$/, "")) as {
      params?: { host?: string };
      phase: number;
    };
    return phase === 1 && params?.host ? [params.host] : [];
  });
}
