/**
 * Sends the arguments of a tool call to a view while the model still writes them (L05).
 *
 * @module
 */
import { followInput } from "@vitrine/protocol";
import type { Bridge } from "./bridge.js";

/**
 * Follows the JSON text of the arguments as the model writes it: the view hears partial input, at most every 50 ms,
 * and the input when the text is complete. Returns the input.
 *
 * @throws {VitrineError} `invalid` when the whole is no JSON object: cancel the call then
 *
 * @example
 * ```ts source="./bridge.examples.ts#streamToolInput"
 * async function* deltas() {
 *   for await (const { argumentsDelta } of model) yield argumentsDelta;
 * }
 * const input = await streamToolInput(bridge, deltas());
 * bridge.sendToolResult(await call(input));
 * ```
 */
export async function streamToolInput(
  bridge: Pick<Bridge, "phase" | "sendToolInput" | "sendToolInputPartial">,
  chunks: AsyncIterable<string>,
): Promise<Record<string, unknown>> {
  const input = await followInput(chunks, (partial) => {
    // What nobody sees any more is not worth an error; the input itself is.
    if (!bridge.phase.startsWith("clos")) bridge.sendToolInputPartial(partial);
  });
  bridge.sendToolInput(input);
  return input;
}
