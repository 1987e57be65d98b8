/**
 * Problems of a server as sentences.
 *
 * @module
 */
import type { ShownServer } from "../../model/servers.js";

/** The most important problem, whether another server had its name, and what is missing in its catalogue. */
export function troubleOf({ summary, catalogue, problem }: ShownServer): string[] {
  const { crash, garbage, notice } = summary;
  const crashed = crash && `It ended at ${new Date(crash.at).toLocaleTimeString()}: ${crash.message}`;
  const printed =
    garbage === undefined
      ? undefined
      : `It prints lines to stdout that are not messages; it must write them to stderr: ${garbage}`;
  const first = summary.problem?.message ?? problem ?? crashed ?? printed;
  return [first, notice, ...(catalogue?.missing ?? [])].filter((each) => each !== undefined);
}
