/**
 * The token under which a page or a view hears of its request's progress.
 *
 * @module
 */

import type { RequestId } from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";

/** The token is the asker's own word for its request (D6): the server gets one of the gateway's. */
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
