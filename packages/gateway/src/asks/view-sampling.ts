/**
 * `sampling/createMessage` from views.
 *
 * @module
 */
import { isRefusal } from "@vitrine/guard";
import type { GatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { rejected } from "./ask-error.js";
import type { Sampled, SamplingService } from "./sampling-service.js";

/**
 * Handles a view's sampling request through the guard, like every request of a view. {@link
 * SamplingService.askFor} asks the guard's question.
 *
 * @throws {VitrineError} −1 if the user declined; or the error of the guard, the service or the model
 */
export async function sampleForView(
  guard: Pick<GatewayGuard, "pass">,
  service: Pick<SamplingService, "forView">,
  call: GuardedCall,
): Promise<Sampled> {
  try {
    return (await guard.pass(call, (passed) => service.forView(passed))) as Sampled;
  } catch (error) {
    throw isRefusal(error) && error.data.code === "denied" ? rejected(error) : error;
  }
}
