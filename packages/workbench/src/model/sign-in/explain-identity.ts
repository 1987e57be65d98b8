/**
 * Explains what is wrong with the identity assertion (ID-JAG) of an enterprise's identity provider.
 *
 * @module
 */
import {
  type AttemptFacts,
  type Explanation,
  errorOf,
  isOk,
  isSameAddress,
  quoted,
  says,
  textOf,
  textsOf,
} from "./attempt-facts.js";

const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

const ERRORS: Readonly<Record<string, [code: string, text: string, fix: string]>> = {
  invalid_grant: [
    "identity-invalid-grant",
    "The identity provider does not accept the user's ID token.",
    "Renew the token in oauth.enterprise.idTokenFile. It must come from this provider, for this client.",
  ],
  unsupported_grant_type: [
    "no-token-exchange",
    "The identity provider does not support token exchange (RFC 8693).",
    "Turn on token exchange, and cross-app access, at the identity provider.",
  ],
  invalid_client: [
    "identity-client",
    "The identity provider does not know the client, or its secret is wrong.",
    "Check oauth.enterprise.clientId and clientSecret.",
  ],
  access_denied: [
    "identity-policy",
    "A policy of the organization does not allow this user to use this server.",
    "Ask the administrator of the identity provider to connect this client with the server.",
  ],
};
const POLICY = ["unauthorized_client", "invalid_target", "invalid_scope"];

/** Explains the step of the identity provider. */
export function explainIdentity(facts: AttemptFacts): Explanation[] {
  const say = says("identity");
  const [missing] = facts
    .notes("failed", "identity")
    .filter(({ facts: { error = "" } }) => /^no-/.test(error));
  if (missing)
    return [
      missing.facts["error"] === "no-jwt"
        ? say(
            "problem",
            "id-token-no-jwt",
            "The file with the ID token holds something else.",
            "Let it hold the ID token alone, as the identity provider issued it: three parts with dots.",
          )
        : say(
            "problem",
            "no-id-token",
            `There is no ID token of the user: ${missing.facts["message"]}`,
            "Let a program of the organization write the user's ID token to oauth.enterprise.idTokenFile, and keep it fresh.",
          ),
    ];
  const [event] = facts.exchanges("identity").slice(-1);
  const [subject] = facts.notes("subject-token");
  const expires = subject?.claims?.["exp"];
  if (subject && typeof expires === "number" && expires * 1000 <= subject.at)
    return [
      say(
        "problem",
        "id-token-expired",
        `The user's ID token expired ${Math.round(subject.at / 1000 - expires)} s earlier.`,
        "Renew the token in oauth.enterprise.idTokenFile: the program that writes it has stopped, or the user must sign in at the identity provider.",
      ),
    ];
  if (!event?.response) return [];
  const failure = errorOf(event);
  if (failure || !isOk(event.response.status)) {
    const { error = `HTTP ${event.response.status}`, description = "" } = failure ?? {};
    const known = ERRORS[POLICY.includes(error) ? "access_denied" : error];
    const [code, text, fix] = known ?? [
      "identity-refused",
      `The identity provider answers ${error}.`,
      "Look into its log: it refuses to issue an ID-JAG.",
    ];
    return [say("problem", code, `${text}${quoted(description)}`, fix)];
  }
  return explainAssertion(facts, event);
}

function explainAssertion(
  facts: AttemptFacts,
  { claims = {}, response }: ReturnType<AttemptFacts["exchanges"]>[number],
): Explanation[] {
  const say = says("identity");
  const found: Explanation[] = [];
  if (response?.body && !response.body.text.includes(ID_JAG))
    found.push(
      say(
        "problem",
        "no-id-jag",
        "The identity provider issued another kind of token than an ID-JAG.",
        `Let it answer with "issued_token_type": "${ID_JAG}".`,
      ),
    );
  const issuer = textOf(facts.server?.["issuer"]);
  const audience = textsOf(claims["aud"]);
  if (issuer !== undefined && audience.length > 0 && !audience.some((each) => isSameAddress(each, issuer)))
    found.push(
      say(
        "problem",
        "id-jag-audience",
        `The assertion is for ${audience.join(", ")}, and the authorization server is ${issuer}.`,
        "Let the identity provider use the requested audience: the issuer of the server's authorization server.",
      ),
    );
  const [client] = facts.notes("client-settings");
  const named = textOf(claims["client_id"]);
  if (client && named !== undefined && named !== client.facts["client_id"])
    found.push(
      say(
        "problem",
        "id-jag-client",
        `The assertion is for the client ${named}, and oauth.clientId is ${client.facts["client_id"]}.`,
        "Connect both at the identity provider: it must know which client the gateway is at this authorization server.",
      ),
    );
  const resource = textOf(claims["resource"]);
  if (resource !== undefined && facts.audience !== undefined && !isSameAddress(resource, facts.audience))
    found.push(
      say(
        "problem",
        "id-jag-resource",
        `The assertion is for the resource ${resource}, and the server is ${facts.audience}.`,
        "Let the identity provider use the requested resource.",
      ),
    );
  return found;
}
