/**
 * Explains what is wrong with tokens: how they are issued, and why a server rejects them.
 *
 * @module
 */
import type { SignInExchange } from "@vitrine/wire";
import {
  type AttemptFacts,
  answerOf,
  challengeParameter,
  type Explanation,
  errorOf,
  headerOf,
  isOk,
  isSameAddress,
  jsonOf,
  quoted,
  says,
  textOf,
  textsOf,
} from "./attempt-facts.js";

/** Explains the token, refresh and call steps. */
export const explainTokens = (facts: AttemptFacts): Explanation[] => [
  ...facts
    .exchanges("token")
    .slice(-1)
    .flatMap((event) => explainTokenAnswer(facts, event)),
  ...facts
    .exchanges("refresh")
    .slice(-1)
    .flatMap((event) => explainTokenAnswer(facts, event)),
  ...explainCalls(facts),
  ...explainSignOut(facts),
];

const OTHER_ERRORS: Readonly<Record<string, [text: string, fix: string]>> = {
  invalid_client: [
    "The authorization server does not know the client, or its secret is wrong.",
    "Check oauth.clientId and oauth.clientSecret. A client that registered itself may have been deleted: forget the sign-in, and sign in again.",
  ],
  unauthorized_client: [
    "This client may not use this grant type.",
    "Allow the grant type for the client at the authorization server.",
  ],
  unsupported_grant_type: [
    "The authorization server does not support this grant type.",
    "Turn the grant type on at the authorization server.",
  ],
  invalid_scope: [
    "The authorization server does not grant the requested scope.",
    "Set oauth.scope to scopes that it supports.",
  ],
  invalid_target: [
    "The authorization server issues no tokens for this resource (RFC 8707).",
    "Register the server's address as a resource or audience at the authorization server.",
  ],
  invalid_request: [
    "The authorization server cannot use the request.",
    "Its description usually names the parameter. Compare it with the request of this step.",
  ],
};

function invalidGrant(event: SignInExchange): [code: string, text: string, fix: string] {
  if (event.step === "refresh")
    return [
      "refresh-invalid-grant",
      "The refresh token has expired, was revoked, or was used before.",
      "Sign in again. If this happens often, another program may use the same tokens, or their lifetime is short.",
    ];
  if (/jwt-bearer/.test(textOf(jsonOf(event.request.body)?.["grant_type"]) ?? ""))
    return [
      "assertion-invalid-grant",
      "The authorization server does not accept the identity assertion (ID-JAG).",
      "Let it trust the identity provider (its issuer and keys), and compare audience, client and time of the assertion with its own.",
    ];
  return [
    "code-invalid-grant",
    "The code has expired, was used before, or belongs to another client, redirect address or verifier.",
    "Sign in again, and come back within a minute. If it fails again, compare client_id and redirect_uri of the steps Authorization and Token.",
  ];
}

function explainTokenAnswer(facts: AttemptFacts, event: SignInExchange): Explanation[] {
  const say = says(event.step);
  const { response } = event;
  if (!response) return [];
  const failure = errorOf(event);
  if (failure) {
    const { error, description } = failure;
    const [code, text, fix] =
      error === "invalid_grant"
        ? invalidGrant(event)
        : [
            `token-${error}`,
            ...(OTHER_ERRORS[error] ?? [
              `The authorization server answers ${error}.`,
              "Look for this error in its documentation.",
            ]),
          ];
    const wrongStatus = isOk(response.status) ? ` (It sends this error with HTTP ${response.status}.)` : "";
    return [say("problem", code ?? "", `${text}${quoted(description)}${wrongStatus}`, fix ?? "")];
  }
  if (!isOk(response.status))
    return [
      say(
        "problem",
        "token-http-error",
        `The token endpoint answers HTTP ${response.status} without an OAuth error.`,
        "Check the address of the token endpoint, and look into the log of the authorization server.",
      ),
    ];
  const answer = answerOf(event);
  if (!answer)
    return [
      say(
        "problem",
        "token-not-json",
        "The token endpoint does not answer with JSON.",
        "Let it answer with application/json (RFC 6749, section 5.1).",
      ),
    ];
  return explainIssued(facts, event, answer);
}

function explainIssued(
  facts: AttemptFacts,
  event: SignInExchange,
  answer: Record<string, unknown>,
): Explanation[] {
  const say = says(event.step);
  const found: Explanation[] = [];
  const type = textOf(answer["token_type"]) ?? "none";
  if (!/^bearer$/i.test(type))
    found.push(
      say(
        "problem",
        "token-type",
        `The token type is ${type}, and not Bearer.`,
        "Let the authorization server issue Bearer tokens to this client.",
      ),
    );
  const audience = textsOf(event.claims?.["aud"]);
  if (audience.length > 0 && facts.audience !== undefined && !includes(audience, facts.audience))
    found.push(
      say(
        "warning",
        "wrong-audience",
        `The token is for ${audience.join(", ")}, and the server is ${facts.audience}.`,
        "Let the authorization server use the resource parameter (RFC 8707) as the audience. A server must reject tokens for others.",
      ),
    );
  const granted = textOf(answer["scope"]);
  const missing = requestedScopes(facts).filter(
    (scope) => scope !== "offline_access" && !granted?.split(" ").includes(scope),
  );
  if (granted !== undefined && missing.length > 0)
    found.push(
      say(
        "warning",
        "scope-reduced",
        `The authorization server did not grant ${missing.join(", ")}.`,
        "Allow these scopes for the client and the user there, if the server needs them.",
      ),
    );
  if (event.step === "token" && answer["refresh_token"] === undefined && facts.state.way === "user")
    found.push(
      say(
        "hint",
        "no-refresh-token",
        "There is no refresh token: the user has to sign in again when the token expires.",
        "Allow the grant type refresh_token for the client, or the scope offline_access.",
      ),
    );
  return found;
}

/** The scopes in the request of the user's authorization. */
function requestedScopes(facts: AttemptFacts): string[] {
  const [redirect] = facts.notes("redirect").slice(-1);
  const address = redirect?.facts["url"] ?? "";
  const scope = URL.canParse(address) ? new URL(address).searchParams.get("scope") : null;
  return scope === null ? [] : scope.split(" ").filter((each) => each !== "" && each !== "openid");
}

/** Explains the last refused call. A later one that was accepted makes it harmless. */
function explainCalls(facts: AttemptFacts): Explanation[] {
  const calls = facts.exchanges("call");
  const index = calls.findLastIndex(({ response }) => response?.status === 401 || response?.status === 403);
  const refused = calls[index];
  if (!refused) return [];
  const isOver = calls.slice(index + 1).some(({ response }) => isOk(response?.status));
  return explainCall(facts, refused).map((each) => (isOver ? { ...each, level: "hint" } : each));
}

/** Explains why the server does not accept a token. */
function explainCall(facts: AttemptFacts, event: SignInExchange): Explanation[] {
  const say = says("call");
  const { response, claims = {}, at } = event;
  if (response?.status !== 401 && response?.status !== 403) return [];
  const header = headerOf(event, "www-authenticate");
  const error = challengeParameter(header, "error");
  const description = challengeParameter(header, "error_description") ?? "";
  if (error === "insufficient_scope")
    return [
      say(
        "problem",
        "insufficient-scope",
        `The token lacks rights: the server wants ${challengeParameter(header, "scope") ?? "more scopes"}.${quoted(description)}`,
        "Sign in again and grant these scopes. If oauth.scope is set, add them there.",
      ),
    ];
  if (response.status === 403)
    return [
      say(
        "problem",
        "forbidden",
        `The server knows the user and refuses the call.${quoted(description)}`,
        "Give the account the right at the server. Another sign-in with the same account does not help.",
      ),
    ];
  const [exp, nbf, iat] = [claims["exp"], claims["nbf"], claims["iat"]];
  const seconds = at / 1000;
  if (typeof exp === "number" && exp <= seconds)
    return [
      say(
        facts.attempt.outcome === "refreshed" ? "hint" : "problem",
        "token-expired",
        `The token expired ${Math.round(seconds - exp)} s before this call.`,
        "The gateway refreshes it. If that fails, sign in again.",
      ),
    ];
  const start = [nbf, iat].find((time) => typeof time === "number" && time > seconds + 5);
  if (typeof start === "number")
    return [
      say(
        "problem",
        "token-not-yet-valid",
        `The token is valid only from ${Math.round(start - seconds)} s after this call on.`,
        "The clocks differ: set those of the gateway, the authorization server and the server by NTP.",
      ),
    ];
  const audience = textsOf(claims["aud"]);
  if (audience.length > 0 && facts.audience !== undefined && !includes(audience, facts.audience))
    return [
      say(
        "problem",
        "wrong-audience",
        `The server rejects the token, which is for ${audience.join(", ")} and not for ${facts.audience}.`,
        "Let the authorization server use the resource parameter (RFC 8707) as the audience of the token.",
      ),
    ];
  const issuer = textOf(claims["iss"]);
  const expected = textOf(facts.server?.["issuer"]) ?? facts.state.tokens?.issuer;
  if (issuer !== undefined && expected !== undefined && !isSameAddress(issuer, expected))
    return [
      say(
        "problem",
        "wrong-issuer",
        `The server rejects the token of ${issuer}, and its authorization server is ${expected}.`,
        "Forget the sign-in and sign in again. If it stays, the authorization server issues tokens under another name.",
      ),
    ];
  return [
    say(
      "problem",
      "token-rejected",
      `The server rejects the token.${quoted(description)}`,
      "Check at the server which issuer, audience, keys and clock it uses to check tokens. A revoked token needs a new sign-in.",
    ),
  ];
}

function explainSignOut(facts: AttemptFacts): Explanation[] {
  const say = says("sign-out");
  const refused = facts
    .exchanges("sign-out")
    .filter(({ request, response }) => request.method === "POST" && !isOk(response?.status));
  return refused.length === 0 && facts.notes("failed", "sign-out").length === 0
    ? []
    : [
        say(
          "warning",
          "not-revoked",
          "The authorization server has not revoked every token.",
          "The gateway has forgotten them. Other copies stay valid until they expire: revoke them at the authorization server if one may be stolen.",
        ),
      ];
}

const includes = (audience: readonly string[], resource: string): boolean =>
  audience.some((each) => isSameAddress(each, resource));
