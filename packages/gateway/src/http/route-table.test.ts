/**
 * Walks through the table of routes: requests from other sites, or without authentication, have no effect
 * anywhere.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answer, type HttpStage, openStage } from "../../../../testing/gateway/http-stage.js";
import type { Route } from "./route.js";
import { ROUTES } from "./routes.js";

let stage: HttpStage;
beforeAll(async () => {
  stage = await openStage({ users: { attempts: { burst: 10_000, perSecond: 1 } } });
});
afterAll(() => stage.listener.close(0));
beforeEach(() => {
  stage.calls.length = 0;
});

const QUERIES: Record<string, string> = {
  login: "?code=wrong",
  revokeConsents: "?server=weather",
  authorized: "?code=1&state=2",
};

const pathOf = (route: Route): string =>
  `${route.path.replace("{server}", "weather").replace("{file}", "index.html")}${QUERIES[route.id] ?? ""}`;

const bodyOf = (route: Route): string | undefined =>
  route.accepts === undefined ? undefined : JSON.stringify(route.body?.example ?? {});

function ask(route: Route, headers: Record<string, string | string[] | undefined>): Promise<Answer> {
  const body = bodyOf(route);
  const type = body === undefined ? undefined : "application/json";
  return stage.ask(pathOf(route), {
    method: route.method,
    headers: { ...stage.program, "content-type": type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

const each = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);
const changing = each.filter(([, route]) => route.changes);
const guarded = each.filter(([, route]) => route.auth === "required");
const withBody = each.filter(([, route]) => route.accepts !== undefined);

const codeOf = ({ text }: Answer): unknown => JSON.parse(text).error.code;

describe("every route", () => {
  it("requires authentication, except for health, sign-in, and the redirect from an authorization server", () => {
    const open = each.filter(([, route]) => route.auth === "public").map(([name]) => name);
    expect(open).toEqual(["GET /healthz", "GET /readyz", "GET /login", "GET /oauth/callback"]);
  });

  it("requires an Origin, unless it is a GET", () => {
    for (const [name, route] of each)
      if (route.method !== "GET") expect([name, route.changes]).toEqual([name, true]);
  });

  describe.each(each)("%s", (_name, route) => {
    it("rejects every other Host", async () => {
      const { port } = stage.listener;
      const others = [
        "evil.example",
        `evil.example:${port}`,
        "localhost",
        `localhost.evil.example:${port}`,
        `LOCALHOST:${port}`,
        `127.0.0.1.:${port}`,
        `127.0.0.2:${port}`,
        "127.0.0.1:1",
      ];
      for (const host of others) {
        const answer = await ask(route, { host });
        expect([host, answer.status, codeOf(answer)]).toEqual([host, 403, "host-forbidden"]);
      }
      expect(stage.calls).toEqual([]);
    });

    it("rejects every other Origin", async () => {
      const { origin, port } = stage.listener;
      const others = [
        "null",
        "http://evil.example",
        `${origin}.evil.example`,
        `${origin}/`,
        origin.replace("http:", "https:"),
        origin.toUpperCase(),
        "http://127.0.0.1:1",
        `http://localhost:${port}`,
        `http://p.app.localhost:${port}`,
        `${origin}, ${origin}`,
      ];
      for (const other of others) {
        const answer = await ask(route, { origin: other });
        expect([other, answer.status, codeOf(answer)]).toEqual([other, 403, "origin-forbidden"]);
      }
      expect(stage.calls).toEqual([]);
    });

    it("rejects requests that another site caused", async () => {
      const modes = ["cors", "no-cors", "same-origin", ...(route.arrival ? [] : ["navigate"])];
      for (const site of ["cross-site", "same-site", "none"]) {
        for (const mode of modes) {
          // A person may open a page.
          if (site === "none" && mode === "navigate" && route.method === "GET") continue;
          const answer = await ask(route, { "sec-fetch-site": site, "sec-fetch-mode": mode });
          expect([site, mode, answer.status, codeOf(answer)]).toEqual([site, mode, 403, "cross-site"]);
        }
      }
      const framed = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
      };
      expect((await ask(route, framed)).status).toBe(403);
      expect(stage.calls).toEqual([]);
    });

    it("rejects other methods, and sends no CORS headers", async () => {
      for (const method of ["OPTIONS", "HEAD", "PUT", "PATCH", "TRACE"]) {
        const { authorization: _, ...headers } = stage.program;
        const asked = { "access-control-request-method": route.method };
        const answer = await stage.ask(pathOf(route), { method, headers: { ...headers, ...asked } });
        expect([method, answer.status]).toEqual([method, 405]);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
      expect(stage.calls).toEqual([]);
    });
  });

  it.each(changing)("%s rejects a request without Origin", async (_name, route) => {
    const answer = await ask(route, { origin: undefined });
    expect([answer.status, codeOf(answer)]).toEqual([403, "origin-missing"]);
    expect(answer.text).toContain(stage.listener.origin);
    expect(stage.calls).toEqual([]);
  });

  it.each(guarded)("%s rejects unauthenticated callers", async (_name, route) => {
    const { token = "" } = stage.auth;
    const wrong = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "Bearer wrong",
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
      token,
    ];
    for (const authorization of wrong) {
      const answer = await ask(route, { authorization });
      expect([authorization, answer.status === 401]).toEqual([authorization, true]);
    }
    const name = `vitrine-${stage.listener.port}`;
    for (const cookie of [`${name}=`, `${name}=wrong`, `${name}=${token}`, `other=${token}`]) {
      const answer = await ask(route, { authorization: undefined, cookie });
      expect([cookie, answer.status === 401]).toEqual([cookie, true]);
    }
    expect(stage.calls).toEqual([]);
  });

  it.each(withBody)("%s rejects bodies of another type", async (_name, route) => {
    const types = [
      undefined,
      "text/plain",
      "application/x-www-form-urlencoded",
      "text/json",
      "application/jsonx",
    ];
    for (const type of types) {
      const answer = await ask(route, { "content-type": type });
      expect([type, answer.status, codeOf(answer)]).toEqual([type, 415, "media-type"]);
    }
    expect((await ask(route, { "content-encoding": "gzip" })).status).toBe(415);
    expect(stage.calls).toEqual([]);
  });

  it("accepts correct requests of a program", async () => {
    for (const [name, route] of each) {
      // An event stream does not end by itself.
      if (route.endless) continue;
      const { status, headers } = await ask(route, {});
      const expected = { login: 401, logout: 400, file: 404, sendFrames: 204 }[route.id] ?? 200;
      expect([name, status]).toEqual([name, expected]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        "cache-control": "no-store",
      });
    }
    const done = new Set(stage.calls.map(([name]) => name));
    expect(done).toContain("tools/call");
    expect(done).toContain("frames");
  });

  it("accepts a signed-in browser, on pages and from them", async () => {
    const cookie = await stage.signIn();
    const browser = { authorization: undefined, cookie, "sec-fetch-site": "same-origin" };
    for (const [name, route] of each) {
      if (route.endless || route.id === "logout") continue;
      const { status } = await ask(route, {
        ...browser,
        origin: route.changes ? stage.listener.origin : undefined,
      });
      // A cookie cannot create more cookies.
      if (route.id === "loginLink") expect(status).toBe(400);
      else expect([name, [200, 204, 404].includes(status) || route.id === "login"]).toEqual([name, true]);
    }
  });

  it("creates a link for callers with a token, and the link signs a browser in", async () => {
    const headers = { ...stage.program, "content-type": "application/json" };
    const { status, text } = await stage.ask("/api/login-link", { method: "POST", headers, body: "{}" });
    expect(status).toBe(200);
    const { pathname, search } = new URL(JSON.parse(text).url);
    const { status: signedIn, headers: logged } = await stage.ask(pathname + search, {
      headers: { host: stage.program.host },
    });
    expect([signedIn, `${logged["set-cookie"]}`.includes("HttpOnly")]).toEqual([303, true]);
  });

  it("is not revealed to unauthenticated callers", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const headers = { ...stage.program, authorization: undefined, "content-type": undefined, traceparent };
    const nowhere = await stage.ask("/api/nothing", { headers });
    const somewhere = await stage.ask("/api/servers", { headers });
    expect(nowhere).toMatchObject({ status: 401, text: somewhere.text });
    expect((await stage.ask("/api/nothing", { headers: stage.program })).status).toBe(404);
    const { status, headers: logged } = await stage.ask("/api/servers", {
      method: "POST",
      headers: stage.program,
      body: "{}",
    });
    expect([status, logged.allow]).toEqual([405, "GET"]);
  });
});

describe("an upgrade", () => {
  const refused = async (headers: Record<string, string | undefined>, path?: string): Promise<number> => {
    const { "content-type": _, ...program } = stage.program;
    const status = await stage.upgrade({ ...program, ...headers }, path);
    expect(stage.calls).toEqual([]);
    return status;
  };

  it("is rejected in the same cases as a request", async () => {
    expect(await refused({ host: "evil.example" })).toBe(403);
    expect(await refused({ origin: "http://evil.example" })).toBe(403);
    expect(await refused({ origin: "null" })).toBe(403);
    expect(await refused({ origin: undefined })).toBe(403);
    for (const site of ["cross-site", "same-site", "none"]) {
      expect(await refused({ "sec-fetch-site": site, "sec-fetch-mode": "websocket" })).toBe(403);
    }
    expect(await refused({ authorization: undefined })).toBe(401);
    expect(await refused({ authorization: "Bearer wrong" })).toBe(401);
    expect(await refused({ authorization: undefined, cookie: "vitrine=wrong" })).toBe(401);
    expect(await refused({}, "/api/servers")).toBe(404);
    expect(await refused({}, "/api/session/")).toBe(404);
    expect(await refused({ upgrade: "h2c" })).toBe(400);
  });

  it("is accepted from an authenticated program or browser", async () => {
    const { host, origin, authorization } = stage.program;
    expect(await stage.upgrade({ host, origin, authorization })).toBe(101);
    const cookie = await stage.signIn();
    expect(await stage.upgrade({ host, origin, cookie, "sec-fetch-site": "same-origin" })).toBe(101);
    expect(stage.calls).toEqual([
      ["upgrade", "local"],
      ["upgrade", "local"],
    ]);
  });
});
