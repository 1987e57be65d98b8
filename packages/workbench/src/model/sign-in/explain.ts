/**
 * Explains what is wrong with a sign-in, and how to fix it.
 *
 * @module
 */
import type { SignInAttempt, SignInExchange, SignInState } from "@vitrine/wire";
import { AttemptFacts, type Explanation, headerOf, says } from "./attempt-facts.js";
import { explainClient } from "./explain-client.js";
import { explainDiscovery } from "./explain-discovery.js";
import { explainIdentity } from "./explain-identity.js";
import { explainTokens } from "./explain-token.js";

/** Milliseconds by which clocks may differ: the `Date` header has whole seconds, and answers take time. */
const MOST_SKEW = 60_000;

/** All explanations of an attempt, in the order of its steps. */
export function explain(attempt: SignInAttempt, state: SignInState): Explanation[] {
  const facts = new AttemptFacts(attempt, state);
  const found = [
    ...attempt.events.flatMap((event) => (event.kind === "exchange" ? explainFailure(event) : [])),
    ...explainDiscovery(facts),
    ...explainClient(facts),
    ...explainIdentity(facts),
    ...explainTokens(facts),
    ...explainClock(facts),
  ];
  if (!facts.isFailed || found.some(({ level }) => level === "problem")) return found;
  // Nothing known explains it: the error itself is better than nothing.
  const [failed] = facts.notes("failed").slice(-1);
  return failed
    ? [
        ...found,
        says(failed.step)(
          "problem",
          "failed",
          `${failed.facts["error"] ?? "Error"}: ${failed.facts["message"] ?? ""}`,
          "Look at the last request of this step and its answer.",
        ),
      ]
    : found;
}

/** Causes of requests without an answer, by the code of Node.js or of the gateway. */
const FAILURES: readonly [codes: RegExp, code: string, text: string, fix: string][] = [
  [
    /^ECONNREFUSED$/,
    "unreachable",
    "Nothing listens there.",
    "Start the server at this address, or mend the address in the metadata.",
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    "unknown-host",
    "This host name is not known.",
    "Mend the address in the metadata, or the name service of the gateway's machine.",
  ],
  [
    /CERT|SELF_SIGNED|ISSUER|ERR_TLS|EPROTO/,
    "certificate",
    "The certificate of this address is not trusted.",
    "Use a certificate of a known authority, or give the gateway yours with NODE_EXTRA_CA_CERTS.",
  ],
  [
    /^address-forbidden$/,
    "address-forbidden",
    "The gateway does not go to this address.",
    'If the address is meant, allow private addresses for this server: "privateNetwork": true.',
  ],
  [
    /^(TimeoutError|AbortError|ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/,
    "timeout",
    "There was no answer in time.",
    "Check that the address can be reached from the gateway's machine, and try again.",
  ],
];

function explainFailure({ step, failure, request }: SignInExchange): Explanation[] {
  if (!failure) return [];
  const [, code, text, fix] = FAILURES.find(([codes]) => codes.test(failure.code)) ?? [
    undefined,
    "no-answer",
    `There was no answer (${failure.code}).`,
    "Check that the address can be reached from the gateway's machine, and try again.",
  ];
  return [says(step)("problem", code, `${request.url}: ${text} ${failure.message}`, fix)];
}

function explainClock({ attempt }: AttemptFacts): Explanation[] {
  for (const event of attempt.events) {
    if (event.kind !== "exchange" || !event.response) continue;
    const date = Date.parse(headerOf(event, "date") ?? "");
    const skew = date - (event.at + event.response.duration);
    if (!(Math.abs(skew) > MOST_SKEW)) continue;
    return [
      says(event.step)(
        "warning",
        "clock-skew",
        `The clock of ${new URL(event.request.url).host} is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} the gateway's.`,
        "Set both clocks by NTP. Tokens are rejected as expired or not yet valid otherwise.",
      ),
    ];
  }
  return [];
}
