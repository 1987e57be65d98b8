/**
 * Real authorization servers (`oidc-provider`) and a real MCP server that trusts one of them. `POST /faults` at the
 * MCP server breaks a part of them. Options come as JSON in the first argument; addresses go to stdout.
 *
 * - `mcp`: the MCP server, which checks tokens (JWT) of `issuer`
 * - `issuer`: its authorization server, with dynamic registration, refresh tokens, revocation, and the JWT bearer grant
 * - `identity`: the identity provider of an enterprise, with token exchange for ID-JAGs, and `/id-token?user=`
 */
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from "jose";
import Provider from "oidc-provider";

const { redirectUri = "http://127.0.0.1/none", tokenSeconds = 3600 } = JSON.parse(process.argv[2] ?? "{}");
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

/** Parts that are broken now; see `POST /faults`. */
let faults = {};
const listeners = [];
const listen = async (handler) => {
  const listener = createServer(handler);
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  listeners.push(listener);
  return { listener, origin: `http://127.0.0.1:${listener.address().port}` };
};
const keyPair = async (kid) => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" };
};
const bodyOf = async (request) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};
const publicOf = ({ kty, n, e, kid, alg, use }) => ({ keys: [{ kty, n, e, kid, alg, use }] });
const [serverKey, identityKey] = [await keyPair("as"), await keyPair("idp")];

// The addresses are known only when the listeners are open.
const handlers = {};
const [as, idp, mcp] = await Promise.all(
  ["as", "idp", "mcp"].map((name) => listen((request, response) => handlers[name](request, response))),
);
const resource = `${mcp.origin}/mcp`;
const common = {
  cookies: { keys: ["only for tests"] },
  pkce: { required: () => true },
  renderError: async (ctx, out) => {
    ctx.type = "html";
    ctx.body = `<!doctype html><title>error</title><h1>${out.error}</h1><p>${out.error_description}</p>`;
  },
};

const provider = new Provider(as.origin, {
  ...common,
  clients: [
    { client_id: "known", client_secret: "known-client-secret", redirect_uris: [redirectUri] },
    {
      client_id: "elsewhere",
      client_secret: "elsewhere-client-secret",
      redirect_uris: ["https://other.example/callback"],
    },
    {
      client_id: "mcp-client",
      client_secret: "mcp-client-secret",
      redirect_uris: [],
      response_types: [],
      grant_types: [BEARER],
    },
  ],
  jwks: { keys: [serverKey] },
  scopes: ["openid", "offline_access", "mcp:tools", "mcp:admin"],
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => resourceInfo(),
    },
  },
});
const resourceInfo = () => ({
  scope: "mcp:tools mcp:admin",
  audience: faults.audience ?? resource,
  accessTokenTTL: faults.tokenSeconds ?? tokenSeconds,
  accessTokenFormat: "jwt",
  jwt: { sign: { alg: "RS256" } },
});
provider.use(async (ctx, next) => {
  const { tokenError, registrationError, html, unreachable } = faults;
  if (unreachable && ctx.path.startsWith("/.well-known")) return ctx.req.socket.destroy();
  if (faults.noServerMetadata && ctx.path.startsWith("/.well-known")) return void (ctx.status = 404);
  if (html && ctx.path.startsWith("/.well-known")) {
    ctx.type = "html";
    ctx.body = "<!doctype html><title>Welcome</title>";
    return;
  }
  if (ctx.method === "POST" && ctx.path === "/reg" && registrationError) {
    ctx.status = registrationError === "unauthorized" ? 401 : 400;
    ctx.body = { error: registrationError, error_description: "Registration is not open." };
    return;
  }
  if (ctx.method === "POST" && ctx.path === "/token" && tokenError) {
    ctx.status = 400;
    // Some servers repeat what they have received.
    const code = /(?:^|&)code=([^&]+)/.exec(await bodyOf(ctx.req))?.[1];
    ctx.body = { error: tokenError, error_description: code ? `The code ${code} is not valid.` : "No." };
    return;
  }
  await next();
  if (ctx.path.startsWith("/.well-known")) Object.assign(ctx.body ?? {}, faults.metadata);
  for (const name of faults.withoutMetadata ?? []) delete ctx.body?.[name];
  if (faults.clock !== undefined) ctx.set("date", new Date(Date.now() + faults.clock).toUTCString());
});
provider.registerGrantType(
  BEARER,
  async (ctx) => {
    const { client, params } = ctx.oidc;
    try {
      const { payload } = await jwtVerify(params.assertion, createLocalJWKSet(publicOf(identityKey)), {
        issuer: idp.origin,
        audience: as.origin,
        typ: "oauth-id-jag+jwt",
      });
      if (payload.client_id !== client.clientId) throw new Error("the assertion is for another client");
      const token = new provider.AccessToken({
        accountId: payload.sub,
        client,
        gty: BEARER,
        scope: payload.scope,
        grantId: "enterprise",
      });
      token.resourceServer = new provider.ResourceServer(payload.resource, resourceInfo());
      ctx.body = {
        access_token: await token.save(),
        expires_in: token.expiration,
        token_type: "Bearer",
        scope: payload.scope,
      };
    } catch (error) {
      ctx.status = 400;
      ctx.body = { error: "invalid_grant", error_description: error.message };
    }
  },
  ["assertion", "scope", "resource"],
);
handlers.as = provider.callback();

const identity = new Provider(idp.origin, {
  ...common,
  clients: [
    {
      client_id: "gateway",
      client_secret: "identity-client-secret",
      redirect_uris: [],
      response_types: [],
      grant_types: [EXCHANGE],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  jwks: { keys: [identityKey] },
});
identity.registerGrantType(
  EXCHANGE,
  async (ctx) => {
    const { subject_token, audience, resource: wanted, requested_token_type, scope } = ctx.oidc.params;
    try {
      if (requested_token_type !== ID_JAG) throw new Error("only ID-JAGs are issued");
      const { payload } = await jwtVerify(subject_token, createLocalJWKSet(publicOf(identityKey)), {
        issuer: idp.origin,
        audience: "gateway",
      });
      const grant = await new SignJWT({
        resource: wanted,
        scope: scope ?? "mcp:tools",
        client_id: faults.idJagClient ?? "mcp-client",
      })
        .setProtectedHeader({ alg: "RS256", kid: "idp", typ: "oauth-id-jag+jwt" })
        .setIssuer(idp.origin)
        .setSubject(payload.sub)
        .setAudience(faults.idJagAudience ?? audience)
        .setIssuedAt()
        .setExpirationTime("5m")
        .setJti(crypto.randomUUID())
        .sign(await importJWK(identityKey, "RS256"));
      ctx.body = {
        issued_token_type: ID_JAG,
        access_token: grant,
        token_type: "N_A",
        expires_in: 300,
      };
    } catch (error) {
      ctx.status = 400;
      ctx.body = { error: "invalid_grant", error_description: error.message };
    }
  },
  ["subject_token", "subject_token_type", "requested_token_type", "audience", "resource", "scope"],
  ["resource"],
);
for (const each of [provider, identity]) each.on("server_error", (_, error) => console.error(error));
const identityHandler = identity.callback();
handlers.idp = async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, idp.origin);
  if (pathname !== "/id-token") return identityHandler(request, response);
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: "RS256", kid: "idp" })
    .setIssuer(idp.origin)
    .setAudience("gateway")
    .setSubject(searchParams.get("user"))
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1000) + Number(searchParams.get("seconds") ?? 600))
    .sign(await importJWK(identityKey, "RS256"));
  response.end(token);
};

const answer = (response, status, body, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const METADATA = "/.well-known/oauth-protected-resource/mcp";
handlers.mcp = async (request, response) => {
  const { pathname } = new URL(request.url, mcp.origin);
  if (pathname === "/faults") {
    faults = JSON.parse(await bodyOf(request));
    return answer(response, 200, {});
  }
  if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
    if (faults.noResourceMetadata || pathname !== METADATA) return answer(response, 404, {});
    return answer(response, 200, {
      resource: faults.resource ?? resource,
      authorization_servers: [faults.authorizationServer ?? as.origin],
      scopes_supported: ["mcp:tools"],
    });
  }
  if (pathname !== "/mcp") return answer(response, 404, {});
  const refuse = (status, error) => {
    const challenge = `Bearer resource_metadata="${mcp.origin}${METADATA}", scope="${faults.wants ?? "mcp:tools"}"${error ? `, error="${error}"` : ""}`;
    answer(response, status, { error }, faults.noChallenge ? {} : { "www-authenticate": challenge });
  };
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (!token) return refuse(401);
  const claims = await jwtVerify(token, createLocalJWKSet(publicOf(serverKey)), {
    issuer: as.origin,
    audience: resource,
    ...(faults.serverClock && { currentDate: new Date(Date.now() + faults.serverClock) }),
  }).catch(() => undefined);
  if (!claims || faults.rejectsTokens) return refuse(401, "invalid_token");
  if (!`${claims.payload.scope}`.split(" ").includes(faults.wants ?? "mcp:tools"))
    return refuse(403, "insufficient_scope");
  const server = new McpServer({ name: "protected", version: "1.0.0" });
  server.registerTool("who", { description: "Says who calls it." }, () => ({
    content: [{ type: "text", text: `${claims.payload.sub}` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
};

process.stdout.write(`${JSON.stringify({ mcp: resource, issuer: as.origin, identity: idp.origin })}\n`);
