/**
 * Health, metrics, the document, signing in, and the workbench's files.
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
    code: { type: "string", description: "Of the one-time link.", minLength: 1, maxLength: 200 },
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
    summary: "Whether the process lives.",
    auth: "public",
    changes: false,
    replies: { 200: { description: "It does.", example: { ok: true } } },
    handle: () => json({ ok: true }),
  },
  {
    method: "GET",
    path: "/readyz",
    id: "ready",
    summary: "Whether the gateway can do its work. Why not is told to those who are signed in.",
    auth: "public",
    changes: false,
    replies: {
      200: { description: "It can.", example: { ok: true } },
      503: {
        description: "It cannot: the audit log cannot be written, or it is stopping.",
        example: { ok: false },
      },
    },
    handle: (_asked, { api }, caller) => {
      const { ok, problems } = api.ready();
      return json(caller ? { ok, problems } : { ok }, ok ? 200 : 503);
    },
  },
  {
    method: "GET",
    path: "/metrics",
    id: "metrics",
    summary: "Numbers for Prometheus.",
    auth: "required",
    changes: false,
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
    replies: { 200: { description: "OpenAPI 3.1.", schema: { type: "object" } } },
    handle: (_asked, { openapi }) => ({ status: 200, headers: JSON_HEADERS, body: openapi() }),
  },
  {
    method: "GET",
    path: "/login",
    id: "login",
    summary: "The one-time link: sets a cookie, and leads to the workbench.",
    auth: "public",
    // A browser sends no Origin when a person opens a link. The code is what lets in, and it works once.
    changes: false,
    arrival: true,
    query: code,
    replies: {
      200: { description: "Signed in, from the page of a file; goes on to `/`.", type: "text/html" },
      303: { description: "Signed in; goes on to `/`." },
    },
    handle: ({ headers, query, origin, from }, { auth }) => {
      // A browser that looks ahead must not use the link up.
      if ("sec-purpose" in headers) throw new HttpError("bad-request", "open the link yourself");
      const isLed = isLedHere(headers);
      const given = String(query["code"]);
      const fragment = auth.fragmentOf(given);
      const home = fragment === undefined ? "/" : `/#${encodeURI(fragment)}`;
      const cookie = { "set-cookie": setCookie(origin, auth.signIn(given, from, isLed)) };
      // The cookie does not come along on a way that began at another site: the page takes the last step by itself.
      if (isLed) return page("One moment …", { ...cookie, refresh: `0; url=${home}` });
      return { status: 303, headers: { ...CLOSED, ...cookie, location: home } };
    },
  },
  {
    method: "POST",
    path: "/api/login-link",
    id: "loginLink",
    summary: "A one-time link that signs a browser of yours in; for those who have a token.",
    auth: "required",
    changes: true,
    accepts: "application/json",
    body: { type: "object", properties: {}, additionalProperties: false },
    limit: 1000,
    replies: {
      200: {
        description: "The link. It works once, for a few minutes.",
        example: { url: "http://127.0.0.1:8090/login?code=…" },
      },
    },
    handle: ({ browser, origin }, { auth }, { user }) => {
      // What a page can reach with its cookie must not make more of it.
      if (browser !== undefined)
        throw new HttpError("bad-request", "only who has a token can ask for a link");
      return json({ url: `${origin}/login?code=${auth.link(user)}` });
    },
  },
  {
    method: "POST",
    path: "/logout",
    id: "logout",
    summary: "Signs this browser out, and ends its connections.",
    auth: "required",
    changes: true,
    accepts: "application/json",
    body: { type: "object", properties: {}, additionalProperties: false },
    limit: 1000,
    replies: { 200: { description: "Signed out.", example: { ok: true } } },
    handle: ({ browser, origin }, { auth }) => {
      if (browser === undefined)
        throw new HttpError("bad-request", "a token cannot be signed out: take it away");
      auth.signOut(browser);
      return json({ ok: true }, 200, { ...JSON_HEADERS, "set-cookie": setCookie(origin, "") });
    },
  },
  {
    method: "GET",
    path: "/oauth/callback",
    id: "authorized",
    summary: "The way back from an authorization server, in the person's browser.",
    auth: "public",
    // As with the one-time link: `state` is what lets in.
    changes: false,
    arrival: true,
    replies: { 200: { description: "A page that says how it went.", type: "text/html" } },
    handle: async ({ address, headers, origin }, { api }, caller) => {
      const { pathname, searchParams } = new URL(address, origin);
      // The cookie does not come along from another site. The page comes here once more by itself, and then it does:
      // so it is known who is signed in in this browser, and nobody can finish what another user began.
      if (isLedHere(headers)) {
        // It says so itself, or the browser would lead it in a circle.
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
    replies: { 200: { description: "A file.", type: "*/*" } },
    handle: ({ address, headers }, { files }) => {
      if (!files) throw new HttpError("not-found", "there is nothing at this address");
      return files.answer(address.split("?", 1)[0] ?? "", headers["if-none-match"]);
    },
  },
];
