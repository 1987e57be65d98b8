/**
 * Routes of servers, and of direct requests to them without an app.
 *
 * @module
 */
import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamMethod } from "@vitrine/guard";
import { fromWeb, json } from "./answer.js";
import { CLOSED } from "./headers.js";
import type { DocumentedResponse, GuardedRoute } from "./route.js";
import type { ObjectSchema } from "./schema.js";

const listParams: ObjectSchema & { example: unknown } = {
  type: "object",
  properties: { cursor: { type: "string", description: "`nextCursor` of the previous page." } },
  additionalProperties: false,
  example: {},
};

const catalogueQuery: ObjectSchema = {
  type: "object",
  properties: {
    for: {
      type: "string",
      enum: ["model", "app"],
      description: "Only tools that are visible to a model, or to the server's views, and their UIs.",
    },
  },
  additionalProperties: false,
};

const empty: ObjectSchema = { type: "object", properties: {}, additionalProperties: false };

/** A route that sends a request to a server through the guard, and returns its result unchanged. */
const direct = (
  method: UpstreamMethod,
  id: string,
  summary: string,
  body: ObjectSchema & { example: unknown },
  reply: DocumentedResponse,
): GuardedRoute => ({
  method: "POST",
  path: `/api/servers/{server}/${method}`,
  id,
  summary,
  auth: "required",
  changes: true,
  at: "users-node",
  accepts: "application/json",
  body,
  keyed: true,
  replies: { 200: reply },
  handle: async ({ server, body: params, key, signal, trace }, { api }, caller) =>
    json(await api.request(caller, server, method, params, { key, signal, trace })),
});

const headersOf = (headers: IncomingHttpHeaders): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)]);

const serverExample = { name: "weather", state: "ready", capabilities: { tools: {} } };

export const SERVER_ROUTES: readonly GuardedRoute[] = [
  {
    method: "GET",
    path: "/api/servers",
    id: "servers",
    summary: "All servers, with their states.",
    auth: "required",
    changes: false,
    at: "users-node",
    replies: { 200: { description: "Servers.", example: { servers: [serverExample] } } },
    handle: (_asked, { api }, caller) => json({ servers: api.servers(caller) }),
  },
  {
    method: "GET",
    path: "/api/servers/{server}",
    id: "catalogue",
    summary:
      "Everything that a server offers: tools, resources, templates, prompts, views. Starts it if necessary.",
    auth: "required",
    changes: false,
    at: "users-node",
    query: catalogueQuery,
    replies: {
      200: {
        description: "The catalogue.",
        example: { tools: [], resources: [], templates: [], prompts: [], views: [] },
      },
    },
    handle: async ({ server, query }, { api }, caller) => {
      const who = query["for"];
      return json(await api.catalogue(caller, server, who === "model" || who === "app" ? who : undefined));
    },
  },
  {
    method: "POST",
    path: "/api/servers/{server}/start",
    id: "start",
    summary: "Starts a server that is waiting or failed, or after the user has signed in.",
    auth: "required",
    changes: true,
    at: "users-node",
    repeatable: true,
    accepts: "application/json",
    body: empty,
    limit: 1000,
    replies: { 200: { description: "Its current state.", example: serverExample } },
    handle: async ({ server }, { api }, caller) => json(await api.start(caller, server)),
  },
  direct(
    "tools/call",
    "callTool",
    "Calls a tool.",
    {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 500 },
        arguments: { type: "object", description: "Must match the tool's schema." },
      },
      required: ["name"],
      additionalProperties: false,
      example: { name: "forecast", arguments: { city: "Berne" } },
    },
    {
      description: "The tool's unchanged result. `isError` says that the tool failed.",
      example: { content: [{ type: "text", text: "Sunny" }] },
    },
  ),
  direct("tools/list", "listTools", "Lists tools.", listParams, {
    description: "A page of tools.",
    example: { tools: [{ name: "forecast", inputSchema: { type: "object" } }] },
  }),
  direct(
    "resources/read",
    "readResource",
    "Reads a resource.",
    {
      type: "object",
      properties: { uri: { type: "string", minLength: 1, maxLength: 8000 } },
      required: ["uri"],
      additionalProperties: false,
      example: { uri: "ui://weather/forecast.html" },
    },
    { description: "The resource.", example: { contents: [{ uri: "note://1", text: "Hello" }] } },
  ),
  direct("resources/list", "listResources", "Lists resources.", listParams, {
    description: "A page of resources.",
    example: { resources: [] },
  }),
  direct("resources/templates/list", "listTemplates", "Lists resource templates.", listParams, {
    description: "A page of templates.",
    example: { resourceTemplates: [] },
  }),
  direct("prompts/list", "listPrompts", "Lists prompts.", listParams, {
    description: "A page of prompts.",
    example: { prompts: [] },
  }),
  {
    method: "POST",
    path: "/api/servers/{server}/host",
    id: "host",
    summary:
      "The host endpoint for a view of the server: JSON-RPC in, JSON-RPC out. The header `vitrine-view` names the view if there are several.",
    auth: "required",
    changes: true,
    at: "users-node",
    accepts: "application/json",
    replies: {
      200: { description: "A JSON-RPC response.", example: { jsonrpc: "2.0", id: 1, result: {} } },
      202: { description: "A notification was accepted." },
    },
    handle: async ({ server, headers, bytes, origin, address, signal, trace }, { api }, caller) => {
      const init = {
        method: "POST",
        headers: headersOf({ ...headers, traceparent: trace }),
        body: new Uint8Array(bytes),
        signal,
      };
      const answer = await fromWeb(await api.host(caller, server, new Request(`${origin}${address}`, init)));
      return { ...answer, headers: { ...CLOSED, ...answer.headers } };
    },
  },
];
