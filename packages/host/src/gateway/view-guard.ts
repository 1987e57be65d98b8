import type { Link } from "@vitrine/guard";
import type { GatewayOutcome, GatewayPermit } from "@vitrine/wire";
import type { Calls, Port } from "./calls.js";

/** What goes to the server goes through the gateway, which guards it. */
const UPSTREAM = /^(tools|resources|prompts)\//;
/** What is between the view and the page alone. */
const LOCAL = /^ui\/notifications\/(size-changed|request-teardown)$/;

/**
 * The page's part of the gateway's guard. What the page itself does for a view, it does with a permit of the gateway's,
 * with the params that the permit names, and then it says how it ended. No permit, no deed.
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
        // The report cannot be sent. That changes nothing of what was done; the gateway records it as indeterminate.
      }
    };
    try {
      const result = await next({ ...call, params: permitted });
      const { isError } = Object(result) as { isError?: unknown };
      tell(isError === true ? "failed" : "ok");
      return result;
    } catch (error) {
      const { code } = Object(error) as { code?: unknown };
      tell(signal?.aborted ? "cancelled" : "failed", code);
      throw error;
    }
  };
