/**
 * `sampling/createMessage` from views.
 *
 * @module
 */
import { isRefusal } from "@vitrine/guard";
import type { GatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { rejected } from "./ask-error.js";
import type { Sampled, SamplingDesk } from "./sampling-desk.js";

/**
 * Answers a view that wants the model asked: through the guard, like everything that a view wants (I11). The guard's
 * question is put to the person by {@link SamplingDesk.askFor}.
 *
 * @throws {VitrineError} −1 when the person said no; or what the guard, the desk and the model throw
 */
export async function sampleForView(
  guard: Pick<GatewayGuard, "pass">,
  desk: Pick<SamplingDesk, "forView">,
  call: GuardedCall,
): Promise<Sampled> {
  try {
    return (await guard.pass(call, (passed) => desk.forView(passed))) as Sampled;
  } catch (error) {
    throw isRefusal(error) && error.data.code === "denied" ? rejected(error) : error;
  }
}
