/**
 * State of the connection to the gateway.
 *
 * @module
 */
import type { GatewayState } from "@vitrine/host/gateway";
import { secondsUntil, useNow } from "./use-now.js";

/** The connection's state in the header. */
export function ConnectionBadge({ state }: { state: GatewayState }) {
  const now = useNow(state.phase === "reconnecting");
  const [kind, text] = words(state, now);
  return (
    // A countdown is not announced every second.
    <span
      className={`badge ${kind}`}
      role="status"
      aria-live={state.phase === "reconnecting" ? "off" : "polite"}
    >
      {text}
    </span>
  );
}

/** None is red: the banner below explains what is wrong. */
function words(state: GatewayState, now: number): [kind: string, text: string] {
  if (state.phase === "connecting") return ["", "Connecting…"];
  if (state.phase === "open") return ["good", state.over === "http" ? "Connected by HTTP" : "Connected"];
  if (state.phase === "closed") return ["", "Disconnected"];
  const seconds = secondsUntil(state.retryAt, now);
  return ["warn", seconds > 0 ? `Reconnecting in ${seconds} s` : "Reconnecting…"];
}

/** The solution for a connection that is closed for good. */
export function closedAdvice(state: GatewayState): string | undefined {
  if (state.phase !== "closed") return undefined;
  if (state.reason === "unauthorized")
    return "This browser is not signed in, or no longer. Open the link that the gateway printed in its terminal; each works once, and starting it again prints a new one.";
  return `The gateway ended this page's session: ${state.message}. Reload the page to start a new one.`;
}
