/**
 * Looks for model servers on this machine.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { LocalModelServer } from "@vitrine/wire";
import { askAt, LOCAL_PROGRAMS } from "./local-programs.js";

/** Milliseconds that each port gets for all its answers. */
const DETECTION_TIMEOUT = 500;
/** Milliseconds for an address that a user has entered. */
const ANSWER_TIMEOUT = 3_000;

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

/**
 * Whether an address answers as a model server: its `/models` is a list of entries with an `id`, as OpenAI documents it. Sends
 * no key, and follows no redirect.
 *
 * @example
 * ```ts source="./model.examples.ts#isModelServer"
 * if (await isModelServer("http://127.0.0.1:9000/v1")) show("a model server runs there");
 * ```
 */
export async function isModelServer(url: string, timeout = ANSWER_TIMEOUT): Promise<boolean> {
  const answer = await askAt(url, AbortSignal.timeout(timeout))("/models");
  const list: unknown = isRecord(answer) ? answer["data"] : undefined;
  return Array.isArray(list) && list.every((each) => isRecord(each) && typeof each["id"] === "string");
}
