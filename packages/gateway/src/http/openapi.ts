/**
 * The OpenAPI 3.1 document of the routes.
 *
 * @module
 */
import type { DocumentedResponse, Route } from "./route.js";
import type { ObjectSchema } from "./schema.js";

/** An OpenAPI document, as far as it is used here. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, object>>;
  components: Record<string, Record<string, object>>;
}

const ERROR = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string", description: "A code with a fixed meaning." },
        message: { type: "string", description: "The problem, and what to do." },
        data: { description: "Further details." },
      },
      required: ["code", "message"],
    },
  },
  required: ["error"],
};

/** The errors that a route can return. */
function errorsOf(route: Route): Record<string, string> {
  const isUpstream = route.path.includes("{server}");
  return {
    400: "The request is malformed.",
    403: "The request came from another site, or the guard refused it.",
    429: "Too many requests; `retry-after` says when to retry.",
    ...(route.auth === "required" ? { 401: "No credential, or a wrong one." } : {}),
    ...(route.checksToken ? { 401: "A wrong token." } : {}),
    ...(route.accepts ? { 413: "The body is too large.", 415: "The media type is not supported." } : {}),
    ...(isUpstream
      ? {
          404: "The server does not exist.",
          424: "The user must sign in to the server first.",
          502: "The server failed, or answered with an error.",
          503: "The call could not be recorded, or too many are pending.",
        }
      : {}),
    ...(route.keyed
      ? {
          409: "The key was used for another call, or the outcome is unknown.",
          422: "The server rejected the request.",
          504: "The server did not answer in time.",
        }
      : {}),
  };
}

/**
 * Creates the document of a table of routes.
 *
 * @example
 * ```ts source="./http.examples.ts#openapi"
 * const document = openApiOf(ROUTES, "http://127.0.0.1:8090");
 * await writeFile("openapi.json", JSON.stringify(document, null, 2));
 * ```
 */
export function openApiOf(routes: readonly Route[], origin: string): OpenApi {
  const paths: OpenApi["paths"] = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Vitrine gateway",
      version: "1",
      description: "Guarded access to MCP servers. Results of servers are returned unchanged.",
    },
    servers: [{ url: origin }],
    security: [{ token: [] }, { browser: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "For programs." },
        browser: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-vitrine",
          description: "For browsers, after the one-time link. Over http, its name is `vitrine-<port>`.",
        },
      },
      schemas: { Error: ERROR },
    },
  };
}

function operationOf(route: Route): object {
  const errors = Object.entries(errorsOf(route)).map(([status, description]) => [
    status,
    { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } },
  ]);
  const replies = Object.entries(route.replies).map(([status, reply]) => [status, replyOf(reply)]);
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.auth === "public" ? { security: securityOf(route) } : {}),
    parameters: parametersOf(route),
    ...(route.accepts ? { requestBody: bodyOf(route, route.accepts) } : {}),
    responses: Object.fromEntries([...errors, ...replies]),
  };
}

/** No credentials are required, but some are checked. */
const securityOf = ({ checksToken }: Route): object[] =>
  checksToken ? [{}, { token: [] }, { browser: [] }] : [];

function parametersOf(route: Route): object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: route.query?.required?.includes(name) ?? false,
    schema,
  }));
  const origin = {
    name: "Origin",
    in: "header",
    required: true,
    description: "The gateway's own origin. Browsers send it automatically; programs must add it.",
    schema: { type: "string" },
  };
  const key = {
    name: "Idempotency-Key",
    in: "header",
    description: "Requests with the same key and body run once and get the same answer.",
    schema: { type: "string", minLength: 1, maxLength: 200 },
  };
  return [...inPath, ...inQuery, ...(route.changes ? [origin] : []), ...(route.keyed ? [key] : [])];
}

function bodyOf(route: Route, type: string): object {
  const { example, ...schema }: Partial<ObjectSchema> & { example?: unknown } = route.body ?? {};
  const content = route.body ? { schema, ...(example === undefined ? {} : { example }) } : {};
  return { required: (route.body?.required?.length ?? 0) > 0, content: { [type]: content } };
}

function replyOf({ description, type, schema, example }: DocumentedResponse): object {
  if (type === undefined && schema === undefined && example === undefined) return { description };
  const content = { ...(schema ? { schema } : {}), ...(example === undefined ? {} : { example }) };
  return { description, content: { [type ?? "application/json"]: content } };
}
