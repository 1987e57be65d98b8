/**
 * Values that a server suggests for the arguments of its prompts and resource templates.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { CompletionSource, ServerSummary } from "@vitrine/wire";

/** Asks for values of a field, given those of the other fields. */
export type Complete = (
  argument: { name: string; value: string },
  others: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** Asks a server for suggestions; undefined if it makes none. */
export function serverCompletion(
  gateway: GatewayClient,
  { name: server, identity, capabilities }: ServerSummary,
  ref: CompletionSource,
): Complete | undefined {
  if (!capabilities.completions) return undefined;
  return async (argument, others, signal) => {
    const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== ""));
    const asked = { server, identity, ref, argument, context: { arguments: given } };
    return (await gateway.request("gateway/complete", asked, { signal })).values;
  };
}
