/**
 * Looks for model servers on this machine.
 *
 * @module
 */
import type { LocalModelServer } from "@vitrine/wire";
import { askAt, LOCAL_PROGRAMS } from "./local-programs.js";

/** Milliseconds that each port gets for all its answers. */
const DETECTION_TIMEOUT = 500;

/** Options of {@link detectLocalServers}. */
export interface DetectionOptions {
  /** The port of each program; its usual one by default. */
  readonly ports?: Partial<Record<LocalModelServer["program"], number>> | undefined;
  readonly timeout?: number | undefined;
}

/**
 * Asks the usual ports of the loopback address, all at once and within half a second. Only servers whose responses have the
 * documented shape of their program are returned. An unresponsive port delays no other.
 *
 * @example
 * ```ts source="./model.examples.ts#detect"
 * for (const { program, url, models } of await detectLocalServers()) {
 *   show(`${program} at ${url}: ${models.map(({ name }) => name).join(", ")}`);
 * }
 * ```
 */
export async function detectLocalServers({
  ports = {},
  timeout = DETECTION_TIMEOUT,
}: DetectionOptions = {}): Promise<LocalModelServer[]> {
  const found = await Promise.all(
    LOCAL_PROGRAMS.map(async ({ program, port, models }) => {
      const origin = `http://127.0.0.1:${ports[program] ?? port}`;
      const listed = await models(askAt(origin, AbortSignal.timeout(timeout)));
      return listed ? [{ program, url: `${origin}/v1`, models: listed }] : [];
    }),
  );
  return found.flat();
}
