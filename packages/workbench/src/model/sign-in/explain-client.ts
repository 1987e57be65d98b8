/**
 * Explains what is wrong with the registration of the client and with the user's authorization.
 *
 * @module
 */
import {
  type AttemptFacts,
  type Explanation,
  errorOf,
  isSameAddress,
  jsonOf,
  quoted,
  says,
  textOf,
  textsOf,
} from "./attempt-facts.js";

/** Explains registration and authorization. */
export const explainClient = (facts: AttemptFacts): Explanation[] => [
  ...explainRegistration(facts),
  ...explainAuthorization(facts),
];

const OWN_CLIENT =
  "Register a client at the authorization server, and write its id (and secret) as oauth.clientId in the settings of this server.";

function explainRegistration(facts: AttemptFacts): Explanation[] {
  const say = says("registration");
  const { state, server, isFailed } = facts;
  const [event] = facts.exchanges("registration").slice(-1);
  const hasClient = ["client-settings", "client-known", "client-document"].some((code) =>
    facts.attempt.events.some((each) => each.kind === "note" && each.code === code),
  );
  if (!event)
    return isFailed && server && server["registration_endpoint"] === undefined && !hasClient
      ? [
          say(
            "problem",
            "no-registration",
            "The authorization server registers no clients by itself, and the settings have none.",
            `${OWN_CLIENT} Its redirect address is ${state.redirectUrl}.`,
          ),
        ]
      : [];
  const status = event.response?.status ?? 0;
  if (status >= 400) {
    const { error = "", description = "" } = errorOf(event) ?? {};
    if (error === "invalid_redirect_uri" || /redirect/i.test(description))
      return [
        say(
          "problem",
          "registration-redirect",
          `The authorization server does not accept the redirect address ${state.redirectUrl}.${quoted(description)}`,
          "Allow this address there. If it only accepts https, give the gateway an https address: listen.origin.",
        ),
      ];
    if (error === "invalid_client_metadata")
      return [
        say(
          "problem",
          "registration-metadata",
          `The authorization server does not accept the description of the client.${quoted(description)}`,
          `Compare the request with what the authorization server supports. ${OWN_CLIENT}`,
        ),
      ];
    return [
      say(
        "problem",
        "registration-refused",
        `The authorization server refuses to register a client: ${error || `HTTP ${status}`}.${quoted(description)}`,
        status === 401 || status === 403 ? `Only known clients may sign in there. ${OWN_CLIENT}` : OWN_CLIENT,
      ),
    ];
  }
  const registered = textsOf(jsonOf(event.response?.body)?.["redirect_uris"]);
  if (registered.length > 0 && state.redirectUrl && !registered.includes(state.redirectUrl))
    return [
      say(
        "problem",
        "redirect-not-registered",
        `The authorization server has registered other redirect addresses: ${registered.join(", ")}.`,
        `It must keep ${state.redirectUrl} as it is, or it will refuse to come back there.`,
      ),
    ];
  return [];
}

/** Errors of an authorization response (RFC 6749, RFC 8707, OpenID Connect), with the way out. */
const AUTHORIZATION_ERRORS: Readonly<Record<string, [text: string, fix: string]>> = {
  access_denied: [
    "The user or the authorization server denied access.",
    "Sign in again and agree. If nobody refused, the account may lack the right to use this server.",
  ],
  invalid_scope: [
    "The authorization server does not know the requested scope, or does not grant it to this client.",
    "Set oauth.scope to scopes that it supports, or mend the scope in the server's challenge and metadata.",
  ],
  unauthorized_client: [
    "This client may not use the authorization code flow.",
    "Allow the grant type authorization_code for the client at the authorization server.",
  ],
  unsupported_response_type: [
    "The authorization server does not support the authorization code flow.",
    "Turn the response type code on at the authorization server.",
  ],
  invalid_request: [
    "The authorization server cannot use the request.",
    "Its description usually names the parameter. Compare it with the address of the step.",
  ],
  invalid_target: [
    "The authorization server does not know this resource (RFC 8707).",
    "Register the server's address as a resource or audience at the authorization server.",
  ],
  server_error: ["The authorization server failed.", "Look into its log, and sign in again."],
  temporarily_unavailable: ["The authorization server is overloaded or closed.", "Sign in again later."],
};

function explainAuthorization(facts: AttemptFacts): Explanation[] {
  const say = says("authorization");
  const { attempt, state, server } = facts;
  const [returned] = facts.notes("returned").slice(-1);
  const [refused] = facts
    .notes("failed")
    .filter(({ facts: { message = "" } }) => /sign-in address/.test(message));
  if (refused)
    return [
      say(
        "problem",
        "authorize-address",
        `The gateway does not send a browser there: ${refused.facts["message"]}.`,
        "Let authorization_endpoint be an https address. An address of this machine is used only for a server of this machine.",
      ),
    ];
  if (!returned) {
    const isOwn = facts.notes("client-settings").length > 0;
    const redirect = `If its page shows an error about the redirect address, add ${state.redirectUrl} to the client there, exactly as it is.`;
    if (attempt.outcome === "expired")
      return [
        say(
          "problem",
          "nobody-returned",
          "Nobody came back from the authorization server in ten minutes.",
          `Sign in again. ${redirect}`,
        ),
      ];
    if (attempt.outcome !== "waiting") return [];
    return [
      say(
        "hint",
        isOwn ? "check-redirect" : "waiting",
        "The authorization server is waiting for the user.",
        `Open the page with “Sign in”. ${redirect}`,
      ),
    ];
  }
  const { error, error_description: description = "", code, iss } = returned.facts;
  const issuer = textOf(server?.["issuer"]);
  if (iss !== undefined && issuer !== undefined && !isSameAddress(iss, issuer))
    return [
      say(
        "problem",
        "answer-of-another",
        `The answer comes from ${iss}, and the sign-in was started at ${issuer}.`,
        "Do not go on: another authorization server may try to get the code. If both are the same server, mend its issuer.",
      ),
    ];
  if (iss === undefined && server?.["authorization_response_iss_parameter_supported"] === true)
    return [
      say(
        "problem",
        "answer-without-issuer",
        "The answer has no iss parameter, although the metadata promise one (RFC 9207).",
        "Let the authorization server send iss, or remove authorization_response_iss_parameter_supported from its metadata.",
      ),
    ];
  if (error !== undefined) {
    const [text, fix] = AUTHORIZATION_ERRORS[error] ?? [
      `The authorization server answers ${error}.`,
      "Look for this error in its documentation, and sign in again.",
    ];
    return [say("problem", `authorization-${error}`, `${text}${quoted(description)}`, fix)];
  }
  if (code === undefined)
    return [
      say(
        "problem",
        "no-code",
        "The authorization server came back with neither a code nor an error.",
        "Check that it answers in the query (response_mode=query), and that no proxy removes parameters.",
      ),
    ];
  return [];
}
