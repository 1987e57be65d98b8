/**
 * Converts a call with an idempotency key for {@link Idempotency}.
 *
 * @module
 */
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";
import { isRepeatable } from "./allow-list.js";
import { callerOf, type GuardedCall } from "./guarded-call.js";
import type { Idempotency, KeyedCall } from "./idempotency.js";
import { hashOf } from "./record.js";

/** Maximum characters of a key, which is kept in memory and on disk. */
const MAX_KEY = 200;

/** Data of the guard about a call. */
interface Known extends Pick<KeyedCall, "identity" | "isReplayable"> {
  paramsHash(): string;
}

/** The call with its key; undefined if it has none. */
export function keyedCall(call: GuardedCall, known: Known): KeyedCall | undefined {
  const { user, key, server, method, mayBeOld, isOwnKey } = call;
  const { identity, isReplayable } = known;
  if (key === undefined) return undefined;
  if (key.length > MAX_KEY) throw new VitrineError(INVALID_PARAMS, `a key has at most ${MAX_KEY} characters`);
  return {
    user,
    key,
    method,
    mayBeOld,
    isOwnKey,
    identity,
    isReplayable,
    server: server === "" ? undefined : server,
    paramsHash: known.paramsHash(),
    caller: callerOf(call),
  };
}

/**
 * Refuses a call that reached no guard because its server or view is gone. A call that may have run before
 * with the same key gets its known outcome instead of the refusal.
 *
 * @returns the stored result
 * @throws {GatewayError} `indeterminate`, `conflict`; or `error` if the key is new
 */
export async function refuseUnlessRun(
  idempotency: Idempotency,
  call: GuardedCall,
  error: unknown,
): Promise<unknown> {
  const keyed = keyedCall(call, {
    identity: undefined,
    paramsHash: () => hashOf(call).paramsHash,
    // Without its server, the hints of a tool are unknown.
    isReplayable: async () => isRepeatable(call.method),
  });
  if (!keyed) throw error;
  return idempotency.run(keyed, () => Promise.reject(error));
}
