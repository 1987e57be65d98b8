/**
 * Progress tokens of pages and views.
 *
 * @module
 */

import type { RequestId } from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";

/** Removes the requester's own progress token: the server gets one of the gateway. */
export function withoutToken(params: Record<string, unknown>): {
  token: RequestId | undefined;
  rest: Record<string, unknown>;
} {
  const meta = recordOf(params)["_meta"];
  if (typeof meta !== "object" || meta === null || !("progressToken" in meta)) {
    return { token: undefined, rest: params };
  }
  const { progressToken, ...others } = meta;
  const { _meta, ...rest } = params;
  const token =
    typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : undefined;
  return { token, rest: Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest };
}
