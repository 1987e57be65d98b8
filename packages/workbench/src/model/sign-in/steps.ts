/**
 * The steps of an attempt to sign in, in their order.
 *
 * @module
 */
import type { SignInAttempt, SignInEvent, SignInState, SignInStep } from "@vitrine/wire";
import type { Explanation } from "./attempt-facts.js";
import { explain } from "./explain.js";

/** `skipped`: not needed this time. `open`: not reached yet. */
export type StepState = "done" | "warning" | "failed" | "waiting" | "skipped" | "open";

/** A step with everything that happened in it. */
export interface ShownStep {
  step: SignInStep;
  title: string;
  state: StepState;
  events: SignInEvent[];
  explanations: Explanation[];
}

const TITLES: Readonly<Record<SignInStep, string>> = {
  challenge: "Challenge of the server",
  "resource-metadata": "Metadata of the server",
  "server-metadata": "Metadata of the authorization server",
  registration: "Client registration",
  authorization: "Authorization with PKCE",
  identity: "Identity assertion (ID-JAG)",
  token: "Token",
  refresh: "Refresh",
  call: "Call with the token",
  "sign-out": "Sign out",
};
const ALWAYS: readonly SignInStep[] = ["challenge", "resource-metadata", "server-metadata", "registration"];
const LATER: readonly SignInStep[] = ["refresh", "sign-out"];

/** All steps of the way that the server uses. Refresh and sign-out appear when they happen. */
export function stepsOf(attempt: SignInAttempt, state: SignInState): ShownStep[] {
  const explanations = explain(attempt, state);
  const way: SignInStep = state.way === "enterprise" ? "identity" : "authorization";
  const happened = (step: SignInStep): boolean => attempt.events.some((event) => event.step === step);
  const isRefresh = happened("refresh") || happened("sign-out");
  const usual = [...ALWAYS, way, "token", "refresh", "call", "sign-out"] as const;
  const shown = usual.filter((step) => happened(step) || (!isRefresh && !LATER.includes(step)));
  const reached = shown.findLastIndex(happened);
  return shown.map((step, index) => {
    const events = attempt.events.filter((event) => event.step === step);
    const own = explanations.filter((each) => each.step === step);
    return {
      step,
      title: TITLES[step],
      state: stateOf(attempt, { step, events, own, isPast: index < reached }),
      events,
      explanations: own,
    };
  });
}

function stateOf(
  { outcome }: SignInAttempt,
  {
    step,
    events,
    own,
    isPast,
  }: { step: SignInStep; events: SignInEvent[]; own: Explanation[]; isPast: boolean },
): StepState {
  if (own.some(({ level }) => level === "problem")) return "failed";
  if (events.length === 0) return isPast ? "skipped" : "open";
  if (step === "authorization" && outcome === "waiting") return "waiting";
  if (own.some(({ level }) => level === "warning")) return "warning";
  return "done";
}
