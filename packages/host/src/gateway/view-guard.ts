import type { Link } from "@vitrine/guard";
import { recordOf } from "@vitrine/protocol";
import type { GatewayOutcome, GatewayPermit } from "@vitrine/wire";
import type { Calls, Port } from "./calls.js";

/** Methods that go to the server, through the gateway's guard. */
const UPSTREAM = /^(tools|resources|prompts)\//;
/** Methods between the view and the page only. */
const LOCAL = /^ui\/notifications\/(size-changed|request-teardown)$/;

/**
 * The page's part of the gateway's guard. The page performs a view's action only with a permit of the
 * gateway, with the permitted params, and then reports the outcome.
 */
export const viewGuard =
  (calls: Calls, port: Port): Link =>
  async (call, next) => {
    const { method, params, signal } = call;
    if (UPSTREAM.test(method) || LOCAL.test(method)) return next(call);
    if (method.startsWith("notifications/")) {
      calls.notify(port, method, params);
      return next(call);
    }
    // The gateway has the model.
    if (method === "sampling/createMessage") return calls.request(port, method, params, { signal });
    const { permit, params: permitted } = (await calls.request(port, method, params, {
      signal,
    })) as GatewayPermit;
    const tell = (outcome: GatewayOutcome["outcome"], code?: unknown): void => {
      try {
        calls.notify(port, "gateway/outcome", {
          permit,
          outcome,
          ...(code !== undefined && { code: `${code}` }),
        });
      } catch {
        // The report could not be sent. The action was still done; the gateway records it as indeterminate.
      }
    };
    try {
      const result = await next({ ...call, params: permitted });
      const { isError } = recordOf(result);
      tell(isError === true ? "failed" : "ok");
      return result;
    } catch (error) {
      const { code } = recordOf(error);
      tell(signal?.aborted ? "cancelled" : "failed", code);
      throw error;
    }
  };
