/**
 * Sends the arguments of a tool call to a view while the model still writes them.
 *
 * @module
 */
import { followInput } from "@vitrine/protocol";
import type { Bridge } from "./bridge.js";

/**
 * Follows the JSON text of the arguments as the model writes it: the view receives partial input, at most
 * every 50 ms, and the input when the text is complete. Returns the input.
 *
 * @throws {VitrineError} `invalid` if the complete text is not a JSON object: then cancel the call
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
    // A failure to send partial input is ignored; for the complete input it is not.
    if (!bridge.phase.startsWith("clos")) bridge.sendToolInputPartial(partial);
  });
  bridge.sendToolInput(input);
  return input;
}
