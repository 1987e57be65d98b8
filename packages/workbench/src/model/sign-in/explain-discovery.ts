/**
 * Explains what is wrong with the challenge and the metadata of a server and its authorization server.
 *
 * @module
 */
import type { SignInExchange } from "@vitrine/wire";
import {
  type AttemptFacts,
  answerOf,
  challengeParameter,
  type Explanation,
  headerOf,
  isOk,
  isSameAddress,
  originOf,
  says,
  textOf,
  textsOf,
} from "./attempt-facts.js";

/** Explains the steps before registration. */
export const explainDiscovery = (facts: AttemptFacts): Explanation[] => [
  ...facts.exchanges("challenge").slice(0, 1).flatMap(explainChallenge),
  ...explainResource(facts),
  ...explainServer(facts),
];

function explainChallenge(event: SignInExchange): Explanation[] {
  const say = says("challenge");
  const header = headerOf(event, "www-authenticate");
  if (header === undefined)
    return [
      say(
        "warning",
        "no-challenge",
        `The server answers ${event.response?.status} without a WWW-Authenticate header.`,
        'Let the server send WWW-Authenticate: Bearer resource_metadata="…" with the address of its metadata. Clients guess that address until then.',
      ),
    ];
  if (!/^(bearer|dpop)\b/i.test(header))
    return [
      say(
        "problem",
        "other-scheme",
        `The server asks for ${header.split(" ")[0]} and not for Bearer tokens.`,
        "Set its Authorization header in the settings of the server: a sign-in with OAuth cannot give these credentials.",
      ),
    ];
  if (challengeParameter(header, "resource_metadata") === undefined)
    return [
      say(
        "warning",
        "no-metadata-address",
        "The challenge does not name the server's metadata.",
        'Add resource_metadata="…" to the WWW-Authenticate header (RFC 9728). Clients guess the address until then.',
      ),
    ];
  return [];
}

function explainResource(facts: AttemptFacts): Explanation[] {
  const say = says("resource-metadata");
  const tried = facts.exchanges("resource-metadata");
  if (tried.length === 0) return [];
  const { resource } = facts;
  if (!resource) return explainMissing(facts, "resource-metadata", tried);
  const found: Explanation[] = [];
  const named = textOf(resource["resource"]);
  const own = facts.state.url;
  if (named === undefined || (own !== undefined && !covers(named, own)))
    found.push(
      say(
        "problem",
        "resource-mismatch",
        `The metadata are about ${named ?? "no resource"}, and the server's address is ${own}.`,
        `Let the metadata say "resource": "${own}", or use the address that they name in the settings. A token for another resource must not be sent here.`,
      ),
    );
  if (textsOf(resource["authorization_servers"]).length === 0)
    found.push(
      say(
        "warning",
        "no-authorization-servers",
        "The metadata name no authorization server, so the server's own origin is taken for one.",
        'Add "authorization_servers" with the issuer of the authorization server.',
      ),
    );
  return found;
}

function explainServer(facts: AttemptFacts): Explanation[] {
  const say = says("server-metadata");
  const tried = facts.exchanges("server-metadata");
  const { server, expectedIssuer } = facts;
  const found: Explanation[] = [];
  const [refused] = facts
    .notes("failed")
    .filter(({ facts: { message = "" } }) => /oauth\.issuer/.test(message));
  if (refused)
    found.push(
      say(
        "problem",
        "other-issuer",
        `The server names another authorization server than the settings: ${refused.facts["message"]}`,
        "If the server has really moved, change oauth.issuer in its settings, or forget this sign-in. Otherwise somebody else may ask for your tokens.",
      ),
    );
  if (tried.length === 0) return found;
  if (!server) return [...found, ...explainMissing(facts, "server-metadata", tried)];
  const issuer = textOf(server["issuer"]);
  if (issuer === undefined || (expectedIssuer !== undefined && !isSameAddress(issuer, expectedIssuer)))
    found.push(
      say(
        "problem",
        "issuer-mismatch",
        `The metadata of ${expectedIssuer} are those of the issuer ${issuer ?? "(none)"}.`,
        "Let the server's metadata name exactly the issuer, or mend the issuer in the metadata of the authorization server. A different issuer may be an impostor.",
      ),
    );
  if (facts.state.way === "user") found.push(...explainCodeFlow(server));
  const endpoints = ["authorization_endpoint", "token_endpoint"].slice(facts.state.way === "user" ? 0 : 1);
  for (const name of endpoints) {
    const address = textOf(server[name]);
    if (address === undefined)
      found.push(
        say(
          "problem",
          "missing-endpoint",
          `The metadata have no ${name}.`,
          `Add ${name} to the metadata of the authorization server.`,
        ),
      );
    else if (!isSecure(address))
      found.push(
        say(
          "problem",
          "insecure-endpoint",
          `The ${name} is ${address}, which is not encrypted.`,
          "Serve it with https. Codes and tokens are not sent over plain http.",
        ),
      );
  }
  return found;
}

function explainCodeFlow(server: Record<string, unknown>): Explanation[] {
  const say = says("server-metadata");
  const found: Explanation[] = [];
  const methods = server["code_challenge_methods_supported"];
  if (methods === undefined)
    found.push(
      say(
        "warning",
        "no-s256",
        "The metadata do not say that PKCE with S256 is supported.",
        'Add "code_challenge_methods_supported": ["S256"]. MCP clients may refuse to sign in without it.',
      ),
    );
  else if (!textsOf(methods).includes("S256"))
    found.push(
      say(
        "problem",
        "no-s256",
        `The authorization server supports PKCE with ${textsOf(methods).join(", ") || "nothing"}, and not with S256.`,
        "Turn on PKCE with S256 at the authorization server. Without it, a stolen code is as good as a token.",
      ),
    );
  const types = server["response_types_supported"];
  if (types !== undefined && !textsOf(types).includes("code"))
    found.push(
      say(
        "problem",
        "no-code-flow",
        "The authorization server does not support the authorization code flow.",
        'Turn it on, so that "response_types_supported" contains "code".',
      ),
    );
  return found;
}

/** Metadata that no address has, or that cannot be read. */
function explainMissing(
  { isFailed, state, expectedIssuer }: AttemptFacts,
  step: "resource-metadata" | "server-metadata",
  tried: readonly SignInExchange[],
): Explanation[] {
  const say = says(step);
  const isResource = step === "resource-metadata";
  const level = isFailed ? "problem" : "warning";
  const strange = tried.find((event) => isOk(event.response?.status) && !answerOf(event));
  if (strange)
    return [
      say(
        "problem",
        "metadata-not-json",
        `${strange.request.url} answers with ${strange.response?.body?.text.slice(0, 100) ?? "nothing"}, and not with JSON.`,
        "Let this address answer with the metadata as application/json, or with 404. A page of a web app often answers every address.",
      ),
    ];
  const broken = tried.find(({ response }) => response && response.status >= 500);
  if (broken)
    return [
      say(
        "problem",
        "metadata-unavailable",
        `${broken.request.url} answers ${broken.response?.status}.`,
        "Look into the log of that server, and try again.",
      ),
    ];
  // Requests that failed are explained with their cause.
  if (tried.every(({ response }) => response === undefined)) return [];
  const addresses = tried.map(({ request }) => request.url).join(", ");
  return isResource
    ? [
        say(
          level,
          "no-resource-metadata",
          `The server publishes no metadata (RFC 9728): nothing is at ${addresses}.`,
          `Serve JSON with "resource": "${state.url}" and "authorization_servers" there. Without it, ${originOf(state.url)} is taken for the authorization server.`,
        ),
      ]
    : [
        say(
          level,
          "no-server-metadata",
          `The authorization server ${expectedIssuer} publishes no metadata: nothing is at ${addresses}.`,
          "Check the issuer in the server's metadata, and serve the metadata of RFC 8414 or OpenID Connect Discovery there.",
        ),
      ];
}

/** Whether a resource contains an address, like the SDK compares them. */
function covers(resource: string, address: string): boolean {
  if (!URL.canParse(resource) || !URL.canParse(address)) return false;
  const [outer, inner] = [new URL(resource), new URL(address)];
  const folder = (path: string): string => (path.endsWith("/") ? path : `${path}/`);
  return outer.origin === inner.origin && folder(inner.pathname).startsWith(folder(outer.pathname));
}

function isSecure(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (
    protocol === "https:" ||
    (protocol === "http:" && /^(([a-z0-9-]+\.)*localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname))
  );
}
