/**
 * Routes of health, metrics, the OpenAPI document, sign-in, and the workbench's files.
 *
 * @module
 */
import type { IncomingHttpHeaders } from "node:http";
import { json, page } from "./answer.js";
import { setCookie } from "./cookie.js";
import { CLOSED, JSON_HEADERS } from "./headers.js";
import { crossSite, HttpError } from "./http-error.js";
import type { Route } from "./route.js";
import type { ObjectSchema } from "./schema.js";

const code: ObjectSchema = {
  type: "object",
  properties: {
    code: { type: "string", description: "The code of the one-time link.", minLength: 1, maxLength: 200 },
  },
  required: ["code"],
  additionalProperties: false,
};

/** Whether a page of another site led the browser here. */
const isLedHere = ({ "sec-fetch-site": site }: IncomingHttpHeaders): boolean =>
  site !== undefined && site !== "same-origin" && site !== "none";

/** Routes of the listener itself. */
export const SERVICE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/healthz",
    id: "health",
    summary: "Whether the process is running.",
    auth: "public",
    changes: false,
    at: "any-node",
    whileStopping: "always",
    replies: { 200: { description: "It is running.", example: { ok: true } } },
    handle: () => json({ ok: true }),
  },
  {
    method: "GET",
    path: "/readyz",
    id: "ready",
    summary:
      "Whether the gateway is operational. Callers with a token or a signed-in browser also get the reasons if it is not.",
    auth: "public",
    checksToken: true,
    changes: false,
    at: "any-node",
    whileStopping: "always",
    replies: {
      200: { description: "It is operational.", example: { ok: true } },
      503: {
        description:
          "It is not operational: the audit log cannot be written, a node has no lease, or the gateway is stopping (`reason` is `draining`).",
        example: { ok: false, reason: "draining" },
      },
    },
    handle: (_asked, { api }, caller) => {
      const { problems, ...shown } = api.ready();
      return json(caller ? { ...shown, problems } : shown, shown.ok ? 200 : 503);
    },
  },
  {
    method: "GET",
    path: "/metrics",
    id: "metrics",
    summary: "Metrics for Prometheus; for users, and for the token of `metrics` in the settings.",
    auth: "required",
    scraped: true,
    changes: false,
    at: "any-node",
    whileStopping: "always",
    replies: { 200: { description: "The text format of Prometheus.", type: "text/plain" } },
    handle: (_asked, { metrics }) => ({
      status: 200,
      headers: { ...CLOSED, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: metrics.text(),
    }),
  },
  {
    method: "GET",
    path: "/openapi.json",
    id: "openapi",
    summary: "This document.",
    auth: "required",
    changes: false,
    at: "any-node",
    replies: { 200: { description: "OpenAPI 3.1.", schema: { type: "object" } } },
    handle: (_asked, { openapi }) => ({ status: 200, headers: JSON_HEADERS, body: openapi() }),
  },
  {
    method: "GET",
    path: "/login",
    id: "login",
    summary: "The one-time link: sets a cookie, and redirects to the workbench.",
    auth: "public",
    // A browser sends no Origin when a user opens a link. The code authorizes the request, and works once.
    changes: false,
    at: "any-node",
    arrival: true,
    query: code,
    replies: {
      200: { description: "Signed in, from the page of a file; continues to `/`.", type: "text/html" },
      303: { description: "Signed in; redirects to `/`." },
    },
    handle: async ({ headers, query, origin, from }, { auth }) => {
      // A prefetching browser must not use the link.
      if ("sec-purpose" in headers) throw new HttpError("bad-request", "open the link yourself");
      const isLed = isLedHere(headers);
      const given = String(query["code"]);
      const entered = await auth.enter(given, from, isLed);
      const home = entered.fragment === undefined ? "/" : `/#${encodeURI(entered.fragment)}`;
      const cookie = { "set-cookie": setCookie(origin, entered.cookie) };
      // Browsers do not send the cookie on a navigation that started at another site, so the page takes the
      // last step itself.
      if (isLed) return page("One moment …", { ...cookie, refresh: `0; url=${home}` });
      return { status: 303, headers: { ...CLOSED, ...cookie, location: home } };
    },
  },
  {
    method: "POST",
    path: "/api/login-link",
    id: "loginLink",
    summary: "Creates a one-time link that signs a browser of the caller in; requires a token.",
    auth: "required",
    changes: true,
    at: "any-node",
    accepts: "application/json",
    body: { type: "object", properties: {}, additionalProperties: false },
    limit: 1000,
    replies: {
      200: {
        description: "The link. It works once, within a few minutes.",
        example: { url: "http://127.0.0.1:8090/login?code=…" },
      },
    },
    handle: async ({ browser, origin }, { auth }, { user }) => {
      // A page with the cookie must not be able to create further sign-ins.
      if (browser !== undefined)
        throw new HttpError("bad-request", "a link can be requested only with a token");
      return json({ url: `${origin}/login?code=${await auth.sharedLink(user)}` });
    },
  },
  {
    method: "POST",
    path: "/logout",
    id: "logout",
    summary: "Signs this browser out, and ends its connections.",
    auth: "required",
    changes: true,
    at: "any-node",
    accepts: "application/json",
    body: { type: "object", properties: {}, additionalProperties: false },
    limit: 1000,
    replies: { 200: { description: "Signed out.", example: { ok: true } } },
    handle: async ({ browser, origin }, { auth }) => {
      if (browser === undefined)
        throw new HttpError("bad-request", "a token cannot be signed out: remove it from the settings");
      await auth.signOut(browser);
      return json({ ok: true }, 200, { ...JSON_HEADERS, "set-cookie": setCookie(origin, "") });
    },
  },
  {
    method: "GET",
    path: "/oauth/callback",
    id: "authorized",
    summary: "The redirect from an authorization server, in the user's browser.",
    auth: "public",
    // As with the one-time link, `state` authorizes the request.
    changes: false,
    at: "users-node",
    arrival: true,
    replies: { 200: { description: "A page with the result.", type: "text/html" } },
    handle: async ({ address, headers, origin }, { api }, caller) => {
      const { pathname, searchParams } = new URL(address, origin);
      // The cookie is not sent from another site. The page reloads itself once, and then it is: so the user
      // of this browser is known, and nobody can complete another user's sign-in.
      if (isLedHere(headers)) {
        // The mark prevents an endless loop of reloads.
        if (searchParams.has("again")) throw crossSite();
        searchParams.set("again", "1");
        return page("One moment …", { refresh: `0; url=${pathname}?${searchParams}` });
      }
      searchParams.delete("again");
      const { server } = await api.authorized(searchParams, caller);
      return page(`You are signed in to ${server}. You can close this page.`);
    },
  },
  {
    method: "GET",
    path: "/{file}",
    id: "file",
    summary: "The workbench; `/` is its page.",
    auth: "required",
    changes: false,
    at: "any-node",
    replies: { 200: { description: "A file.", type: "*/*" } },
    handle: ({ address, headers }, { files }) => {
      if (!files) throw new HttpError("not-found", "nothing exists at this address");
      return files.answer(address.split("?", 1)[0] ?? "", headers["if-none-match"]);
    },
  },
];
