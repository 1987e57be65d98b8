import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type HttpStage, openStage, type StageOptions } from "../../../../testing/gateway/http-stage.js";
import { Authentication } from "./auth.js";
import { cookieNameOf, setCookie } from "./cookie.js";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const users = [
  { name: "ada", tokenHash: sha256("ada's token") },
  { name: "ben", tokenHash: sha256("ben's-token").toUpperCase() },
];

const open: HttpStage[] = [];
const stageOf = async (options?: StageOptions): Promise<HttpStage> => {
  const stage = await openStage(options);
  open.push(stage);
  return stage;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

function setUp(options: ConstructorParameters<typeof Authentication>[0] = {}) {
  const clock = { time: 1_000_000 };
  const auth = new Authentication({ ...options, now: () => clock.time });
  const byCookie = (value: string) => auth.admit({ cookie: `x=1; vitrine=${value}; y=2` }, "vitrine", "::1");
  const byToken = (token: string, address = "10.0.0.1") =>
    auth.admit({ authorization: `Bearer ${token}` }, "vitrine", address);
  return { auth, clock, byCookie, byToken };
}

describe("Authentication", () => {
  it("generates a random token of 256 bits if no users are configured", () => {
    const { auth, byToken } = setUp();
    expect(Buffer.from(auth.token ?? "", "base64url")).toHaveLength(32);
    expect(setUp().auth.token).not.toBe(auth.token);
    expect(byToken(auth.token ?? "")).toEqual({ caller: { user: "local" } });
  });

  it("knows configured users by the hashes of their tokens, and generates no token then", () => {
    const { auth, byToken } = setUp({ users });
    expect(auth.token).toBeUndefined();
    expect(byToken("ben's-token").caller.user).toBe("ben");
    expect(() => byToken(users[1]?.tokenHash ?? "")).toThrow(/token/);
  });

  it.each([[{ name: "ada", tokenHash: "ada's token" }], [{ name: "", tokenHash: sha256("x") }]])(
    "rejects an invalid user: %j",
    (user) => {
      expect(() => setUp({ users: [user] })).toThrow(
        expect.objectContaining({ data: { code: "config-invalid" } }),
      );
    },
  );

  it("accepts a link once, and returns a cookie that is unrelated to it", () => {
    const { auth, byCookie } = setUp();
    const code = auth.link("local");
    const value = auth.signIn(code, "::1");
    expect([code, auth.token]).not.toContain(value);
    expect(byCookie(value)).toMatchObject({ caller: { user: "local" } });
    expect(() => auth.signIn(code, "::1")).toThrow(/used/);
    expect(() => byCookie(code)).toThrow(/no longer/);
  });

  it("rejects expired links, and keeps only the newest if there are too many", () => {
    const { auth, clock } = setUp({ linkLifetime: 1000, attempts: { burst: 1000, perSecond: 1 } });
    const old = auth.link("local");
    clock.time += 1001;
    expect(() => auth.signIn(old, "::1")).toThrow(/has expired/);
    const codes = Array.from({ length: 101 }, () => auth.link("local"));
    expect(() => auth.signIn(codes[0] ?? "", "::1")).toThrow(/has expired/);
    expect(auth.signIn(codes[1] ?? "", "::1")).toBeTypeOf("string");
  });

  it("accepts links from another page only if they were made for that, for a minute, once", () => {
    const used = vi.fn();
    const { auth, clock } = setUp();
    const plain = auth.link("local");
    expect(() => auth.signIn(plain, "::1", true)).toThrow(expect.objectContaining({ code: "cross-site" }));
    expect(() => auth.signIn("guess", "::1", true)).toThrow(expect.objectContaining({ code: "cross-site" }));
    // Another site cannot use up the user's link.
    expect(auth.signIn(plain, "::1")).toBeTypeOf("string");
    const [led, late] = [1, 2].map(() => auth.link("local", { arrival: true, onused: used }));
    expect(auth.signIn(led ?? "", "::1", true)).toBeTypeOf("string");
    expect(used).toHaveBeenCalledOnce();
    expect(() => auth.signIn(led ?? "", "::1", true)).toThrow(/another site/);
    expect(() => auth.signIn(led ?? "", "::1")).toThrow(/used/);
    clock.time += 60_001;
    expect(() => auth.signIn(late ?? "", "::1", true)).toThrow(/has expired/);
    expect(used).toHaveBeenCalledOnce();
  });

  it("creates links for its users only", () => {
    expect(() => setUp().auth.link("eve")).toThrow(/no user/);
  });

  it("forgets a browser after inactivity, after its lifetime, or when it signs out", () => {
    const { auth, clock, byCookie } = setUp({ idle: 1000, lifetime: 2500 });
    const ended: string[] = [];
    auth.onSignOut((browser) => ended.push(browser));
    const [first, second, third] = [1, 2, 3].map(() => auth.signIn(auth.link("local"), "::1"));
    const { browser = "" } = byCookie(third ?? "");
    auth.signOut(browser);
    expect(() => byCookie(third ?? "")).toThrow(/no longer/);
    for (let step = 0; step < 3; step++) {
      clock.time += 800;
      byCookie(first ?? "");
    }
    expect(() => byCookie(second ?? "")).toThrow(/no longer/);
    clock.time += 101;
    expect(() => byCookie(first ?? "")).toThrow(/no longer/);
    expect(ended).toHaveLength(3);
  });

  it("finds its cookie among those that other programs on this machine set with its name", () => {
    const { auth } = setUp();
    const value = auth.signIn(auth.link("local"), "::1");
    const cookie = `vitrine=junk; vitrine=; vitrine=${value}`;
    expect(auth.admit({ cookie }, "vitrine", "::1").caller.user).toBe("local");
  });

  it("signs out the browsers of removed users", () => {
    const { auth, byCookie, byToken } = setUp({ users });
    const [ada, ben] = ["ada", "ben"].map((user) => auth.signIn(auth.link(user), "::1"));
    const waiting = auth.link("ben");
    auth.setUsers(users.slice(0, 1));
    expect(byCookie(ada ?? "").caller.user).toBe("ada");
    expect(() => byCookie(ben ?? "")).toThrow(/no longer/);
    expect(() => byToken("ben's-token")).toThrow(/unknown token/);
    expect(() => auth.signIn(waiting, "::1")).toThrow(/used/);
    expect(() => auth.setUsers([])).toThrow(/needs a restart/);
  });

  it("signs out browsers whose token has changed, and rejects its links", () => {
    const { auth, byCookie } = setUp({ users });
    const ended: string[] = [];
    auth.onSignOut((browser) => ended.push(browser));
    const [ada, ben] = ["ada", "ben"].map((user) => auth.signIn(auth.link(user), "::1"));
    const [adasLink, bensLink] = ["ada", "ben"].map((user) => auth.link(user));
    const benBefore = byCookie(ben ?? "").browser;
    // The same token of ada, written differently.
    auth.setUsers([
      { name: "ada", tokenHash: `${users[0]?.tokenHash}`.toUpperCase() },
      { name: "ben", tokenHash: sha256("ben's other token") },
    ]);
    expect(byCookie(ada ?? "").caller.user).toBe("ada");
    expect(() => byCookie(ben ?? "")).toThrow(/no longer/);
    expect(ended).toEqual([benBefore]);
    expect(auth.signIn(adasLink ?? "", "::1")).toBeTypeOf("string");
    expect(() => auth.signIn(bensLink ?? "", "::1")).toThrow(/used/);
    expect(byCookie(auth.signIn(auth.link("ben"), "::1")).caller.user).toBe("ben");
  });

  it("an open connection counts as use only when it is used, and ends with its sign-in", () => {
    const { auth, clock, byCookie } = setUp({ idle: 1000, lifetime: 2500 });
    const ended: (string | undefined)[] = [];
    auth.onSignOut((browser) => ended.push(browser));
    const [busy, quiet] = [1, 2].map(() => byCookie(auth.signIn(auth.link("local"), "::1")));
    for (let step = 0; step < 3; step++) {
      clock.time += 800;
      busy?.caller.meet?.(true);
      quiet?.caller.meet?.(false);
    }
    expect(ended).toEqual([quiet?.browser]);
    clock.time += 101;
    busy?.caller.meet?.(true);
    expect(ended).toEqual([quiet?.browser, busy?.browser]);
  });

  it("limits wrong credentials per address, but not valid tokens: a proxy's address is shared", () => {
    const { byToken, clock } = setUp({ users, attempts: { burst: 3, perSecond: 0.5 } });
    for (let guess = 0; guess < 3; guess++) expect(() => byToken(`guess-${guess}`)).toThrow(/unknown token/);
    expect(() => byToken("another")).toThrow(
      expect.objectContaining({ code: "too-many-attempts", retryAfter: 2000 }),
    );
    expect(byToken("ben's-token").caller.user).toBe("ben");
    expect(() => byToken("another", "10.0.0.2")).toThrow(/unknown token/);
    clock.time += 2000;
    expect(() => byToken("one more")).toThrow(/unknown token/);
  });

  it("counts a wrong credential once, so that a page with an old cookie learns that it is signed out", () => {
    const { auth, byToken } = setUp({ users, attempts: { burst: 2, perSecond: 0.1 } });
    const byOldCookie = () => auth.admit({ cookie: "other=1; vitrine=old" }, "vitrine", "10.0.0.1");
    for (let file = 0; file < 50; file++) {
      expect(byOldCookie).toThrow(expect.objectContaining({ code: "unauthenticated" }));
      expect(() => byToken("outdated")).toThrow(/unknown token/);
    }
    expect(() => byToken("guess")).toThrow(/too many/);
    expect(byOldCookie).toThrow(expect.objectContaining({ code: "unauthenticated" }));
  });

  it("treats all addresses of an IPv6 network as one", () => {
    const { byToken } = setUp({ users, attempts: { burst: 1, perSecond: 0.1 } });
    expect(() => byToken("guess", "2001:db8:1:2:aaaa::1")).toThrow(/unknown token/);
    expect(() => byToken("another", "2001:db8:1:2:bbbb::2")).toThrow(/too many/);
    expect(() => byToken("another", "2001:db8:1:3::1")).toThrow(/unknown token/);
  });

  it("does not lock out callers with a generated token, which cannot be guessed", () => {
    const { auth, byToken } = setUp({ attempts: { burst: 1, perSecond: 0.1 } });
    expect(() => byToken("yesterday's")).toThrow(/unknown token/);
    expect(() => byToken("last week's")).toThrow(/too many/);
    expect(byToken(auth.token ?? "").caller.user).toBe("local");
  });
});

describe("the cookie", () => {
  it("is for this host only, and not readable by scripts", () => {
    expect(setCookie("https://vitrine.example", "v")).toBe(
      "__Host-vitrine=v; Path=/; HttpOnly; SameSite=Strict; Secure",
    );
    expect(setCookie("http://127.0.0.1:8090", "v")).toBe("vitrine-8090=v; Path=/; HttpOnly; SameSite=Strict");
    expect(cookieNameOf("http://localhost")).toBe("vitrine-80");
  });

  it("is set by the one-time link, which redirects to the workbench and works once", async () => {
    const { listener, ask, program, auth } = await stageOf();
    const url = new URL(listener.loginUrl());
    expect(url.origin).toBe(listener.origin);
    const headers = { host: program["host"], "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };
    const path = `${url.pathname}${url.search}`;
    const ahead = await ask(path, { headers: { ...headers, "sec-purpose": "prefetch;prerender" } });
    expect(ahead.status).toBe(400);
    const answer = await ask(path, { headers });
    expect(answer).toMatchObject({ status: 303, headers: { location: "/", "cache-control": "no-store" } });
    const [set = ""] = answer.headers["set-cookie"] ?? [];
    expect(set).toMatch(/^vitrine-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(set).not.toContain(auth.token);
    expect((await ask(path, { headers })).status).toBe(401);
  });

  it("is not given to a browser that another site led to a user's link: that would sign it in as that user", async () => {
    const { listener, ask, program } = await stageOf();
    const { pathname, search } = new URL(listener.loginUrl());
    const led = {
      host: program["host"],
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    for (const site of ["cross-site", "same-site"]) {
      const answer = await ask(`${pathname}${search}`, { headers: { ...led, "sec-fetch-site": site } });
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining("cross-site") });
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    expect(
      (await ask(`${pathname}${search}`, { headers: { ...led, "sec-fetch-site": "none" } })).status,
    ).toBe(303);
  });

  it("is invalid after signing out, and the browser's connections are closed", async () => {
    const { listener, ask, program, signIn } = await stageOf();
    const { origin, port } = listener;
    const cookie = await signIn();
    const headers = { host: program["host"], origin, cookie, "content-type": "application/json" };
    const stream = await fetch(`http://127.0.0.1:${port}/api/session`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    const drained = stream.text();
    const out = await ask("/logout", { method: "POST", headers });
    expect(out).toMatchObject({
      status: 200,
      headers: { "set-cookie": [expect.stringContaining("Max-Age=0")] },
    });
    await expect(drained).rejects.toThrow();
    expect((await ask("/logout", { method: "POST", headers })).status).toBe(401);
  });
});
