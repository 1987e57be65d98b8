/**
 * An authorization server and an MCP server that requires its tokens, both real and both small. The user who
 * signs in is a `fetch` of the authorization URL.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Faults to inject. */
export interface OAuthServerOptions {
  /** Replaces the real `authorization_endpoint`. */
  authorizationEndpoint?: string;
  /** Replaces its own URL in the metadata of the resource. */
  authorizationServer?: string;
  /** Supports dynamic client registration; true by default. */
  registers?: boolean;
  /** Takes the address of a client metadata document for a client id. */
  acceptsDocuments?: boolean;
}

/** A received token request. */
export interface TokenRequest {
  params: URLSearchParams;
  authorization: string | undefined;
  headers: IncomingMessage["headers"];
  status: number;
}

export interface OAuthServer {
  readonly origin: string;
  /** The protected MCP server. */
  readonly mcp: string;
  readonly tokenRequests: TokenRequest[];
  readonly registrations: Record<string, unknown>[];
  /** Refresh tokens that came a second time. Each of them revokes all tokens, as if it had been stolen. */
  readonly reused: string[];
  /** Authorization headers of the MCP server's requests, in order. */
  readonly presented: (string | undefined)[];
  /** Revokes every issued access token. */
  expire(): void;
  /** Revokes every refresh token. */
  revoke(): void;
  /** The next requests to the token endpoint wait until this resolves. */
  hold: Promise<unknown> | undefined;
  /** The next answer of the token endpoint, instead of the right one. */
  fails: { status: number; body: string } | undefined;
  /** The authorization server denies access to the user. */
  denies: boolean;
  /** Scope that the MCP server requires beside a valid token. */
  wants: string | undefined;
  /** Signs the user in: follows the URL, and returns the query of the redirect back. */
  signIn(authorizeUrl: string): Promise<URLSearchParams>;
  close(): Promise<void>;
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

/** Starts both on one free port. */
export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const codes = new Map<
    string,
    { challenge: string; redirect: string; client: string; resource: string | null; scope: string }
  >();
  const access = new Map<string, string>();
  const refresh = new Map<string, { client: string; scope: string }>();
  const used = new Set<string>();
  const clients = new Set<string>(["configured"]);
  const token = () => randomBytes(16).toString("base64url");

  const grant = (client: string, scope: string) => {
    const [accessToken, refreshToken] = [token(), token()];
    access.set(accessToken, scope);
    refresh.set(refreshToken, { client, scope });
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: "Bearer",
      expires_in: 60,
      scope,
    };
  };

  const tokenAnswer = (params: URLSearchParams, basic: string): { status: number; body: unknown } => {
    if (server.fails) {
      const { status, body } = server.fails;
      server.fails = undefined;
      return { status, body: JSON.parse(body) };
    }
    const client = params.get("client_id") ?? basic;
    const isDocument = options.acceptsDocuments === true && client.startsWith("https://");
    if (!clients.has(client) && !isDocument) return { status: 401, body: { error: "invalid_client" } };
    if (params.get("grant_type") === "refresh_token") {
      const given = params.get("refresh_token") ?? "";
      const known = refresh.get(given);
      // Refresh tokens are valid for one use.
      refresh.delete(given);
      if (used.has(given)) {
        server.reused.push(given);
        access.clear();
        refresh.clear();
      }
      used.add(given);
      return known?.client === client
        ? { status: 200, body: grant(client, known.scope) }
        : { status: 400, body: { error: "invalid_grant" } };
    }
    const code = codes.get(params.get("code") ?? "");
    codes.delete(params.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(params.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      code?.challenge === challenge &&
      code.redirect === params.get("redirect_uri") &&
      code.client === client &&
      code.resource === params.get("resource");
    return isRight
      ? { status: 200, body: grant(client, code.scope) }
      : { status: 400, body: { error: "invalid_grant" } };
  };

  const mcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    if (request.method === "POST") server.presented.push(authorization);
    const scope = access.get(authorization?.replace(/^Bearer /, "") ?? "");
    const metadata = `resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined)
      return json(response, 401, {}, { "www-authenticate": `Bearer ${metadata}, scope="read"` });
    if (server.wants && !scope.split(" ").includes(server.wants))
      return json(
        response,
        403,
        {},
        {
          "www-authenticate": `Bearer error="insufficient_scope", scope="${server.wants}", ${metadata}`,
        },
      );
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request));
    if (message.id === undefined) return void response.writeHead(202).end();
    const { protocolVersion = "2025-11-25" } = message.params ?? {};
    const serverInfo = { name: "protected", version: "1" };
    const result =
      message.method === "initialize"
        ? { protocolVersion, capabilities: { tools: {} }, serverInfo }
        : message.method === "tools/list"
          ? { tools: [{ name: "hello", inputSchema: { type: "object" } }] }
          : undefined;
    const error = { code: -32601, message: "no such method" };
    json(response, 200, { jsonrpc: "2.0", id: message.id, ...(result ? { result } : { error }) });
  };

  const authorize = (url: URL, response: ServerResponse): void => {
    const query = url.searchParams;
    const back = new URL(query.get("redirect_uri") ?? "");
    const state = query.get("state");
    if (state) back.searchParams.set("state", state);
    back.searchParams.set("iss", server.origin);
    if (server.denies) back.searchParams.set("error", "access_denied");
    else {
      const code = token();
      codes.set(code, {
        challenge: query.get("code_challenge") ?? "",
        redirect: query.get("redirect_uri") ?? "",
        client: query.get("client_id") ?? "",
        resource: query.get("resource"),
        scope: query.get("scope") ?? "",
      });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const routes: Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => unknown> = {
    "/mcp": mcp,
    "/.well-known/oauth-protected-resource/mcp": (_, response) =>
      json(response, 200, {
        resource: server.mcp,
        authorization_servers: [options.authorizationServer ?? server.origin],
      }),
    "/.well-known/oauth-authorization-server": (_, response) =>
      json(response, 200, {
        issuer: server.origin,
        authorization_endpoint: options.authorizationEndpoint ?? `${server.origin}/authorize`,
        token_endpoint: `${server.origin}/token`,
        ...(options.registers !== false && { registration_endpoint: `${server.origin}/register` }),
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        ...(options.acceptsDocuments && { client_id_metadata_document_supported: true }),
      }),
    "/register": async (request, response) => {
      const metadata = JSON.parse(await bodyOf(request));
      const client_id = token();
      clients.add(client_id);
      server.registrations.push(metadata);
      json(response, 201, { ...metadata, client_id });
    },
    "/authorize": (_, response, url) => authorize(url, response),
    "/token": async (request, response) => {
      const params = new URLSearchParams(await bodyOf(request));
      const { authorization } = request.headers;
      const [, credentials = ""] = authorization?.split(" ") ?? [];
      const entry: TokenRequest = { params, authorization, headers: request.headers, status: 0 };
      server.tokenRequests.push(entry);
      await server.hold;
      const { status, body } = tokenAnswer(
        params,
        Buffer.from(credentials, "base64").toString().split(":")[0] ?? "",
      );
      entry.status = status;
      json(response, status, body);
    },
  };

  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? "/", server.origin);
    const route = routes[url.pathname];
    if (!route) return void response.writeHead(404).end();
    Promise.resolve(route(request, response, url)).catch((error) =>
      response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const server: OAuthServer = {
    origin,
    mcp: `${origin}/mcp`,
    tokenRequests: [],
    registrations: [],
    reused: [],
    presented: [],
    hold: undefined,
    fails: undefined,
    denies: false,
    wants: undefined,
    expire: () => access.clear(),
    revoke: () => refresh.clear(),
    async signIn(authorizeUrl) {
      const answer = await fetch(authorizeUrl, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "").searchParams;
    },
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return server;
}
