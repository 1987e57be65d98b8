import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type OAuthServer,
  type OAuthServerOptions,
  startOAuthServer,
} from "../../../../testing/oauth-server.js";
import type { SecretStore } from "../secrets/secrets.js";
import { identityOf } from "../server-identity.js";
import type { RemoteSettings } from "../settings.js";
import type { OAuthSession } from "./session.js";
import { OAuthSessions } from "./sessions.js";

const CALLBACK = "http://127.0.0.1:8090/oauth/callback";
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of open.splice(0)) await one.close();
});

async function start(options?: OAuthServerOptions): Promise<OAuthServer> {
  const server = await startOAuthServer(options);
  open.push(server);
  return server;
}

function memorySecrets(map = new Map<string, string>()): SecretStore & { map: Map<string, string> } {
  return {
    map,
    get: async (key) => map.get(key),
    set: async (key, value) => void map.set(key, value),
    delete: async (key) => map.delete(key),
  };
}

const remote = (url: string, more: Partial<RemoteSettings> = {}): RemoteSettings => ({
  type: "http",
  url,
  headers: {},
  oauth: true,
  privateNetwork: true,
  ...more,
});

async function setUp(options?: OAuthServerOptions, more?: Partial<RemoteSettings>) {
  const server = await start(options);
  const clock = { time: 1_000_000 };
  const secrets = memorySecrets();
  const make = () =>
    new OAuthSessions({ secrets, redirectUrl: () => CALLBACK, fetch: () => fetch, now: () => clock.time });
  const sessions = make();
  const settings = remote(server.mcp, more);
  return { server, clock, secrets, sessions, settings, make, ana: sessions.for("ana", "mail", settings) };
}

/** The key under which the tokens of a URL are stored. */
const keyOf = (url: string): string => `oauth/ana/mail/${identityOf({ url })}`;

/** Connects like the gateway: with an API key for the server, and a probe of its protocol generation. */
async function connect(session: OAuthSession, url: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    authProvider: session.provider,
    fetch: session.watch(fetch),
    requestInit: { headers: { "x-api-key": "for the server" } },
  });
  open.push(client);
  await client.connect(transport);
  return client;
}

const signedIn = async (setting: Awaited<ReturnType<typeof setUp>>): Promise<Client> => {
  const { server, sessions, ana } = setting;
  await expect(connect(ana, server.mcp)).rejects.toThrow("sign in first");
  await sessions.authorized(await server.signIn(ana.authorizeUrl ?? ""), "ana");
  return connect(ana, server.mcp);
};

describe("OAuthSessions", () => {
  it("signs in with the user's browser: 401, address, callback, tools", async () => {
    const { server, sessions, ana, secrets } = await setUp();
    const heard = vi.fn();
    ana.onSignedIn(heard);
    expect(ana.authorizeUrl).toBeUndefined();
    await expect(connect(ana, server.mcp)).rejects.toThrow("mail: sign in first");
    const url = new URL(ana.authorizeUrl ?? "");
    expect(url.origin).toBe(server.origin);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: CALLBACK,
      resource: server.mcp,
      scope: "read",
    });
    expect(url.searchParams.get("state")).toMatch(/^[\w-]{43}$/);
    expect(server.registrations).toMatchObject([{ client_name: "Vitrine", redirect_uris: [CALLBACK] }]);

    await expect(sessions.authorized(await server.signIn(url.href), "ana")).resolves.toEqual({
      user: "ana",
      server: "mail",
    });
    expect(heard).toHaveBeenCalledOnce();
    expect(ana.authorizeUrl).toBeUndefined();
    const client = await connect(ana, server.mcp);
    expect((await client.listTools()).tools).toMatchObject([{ name: "hello" }]);
    expect([...secrets.map.keys()]).toEqual([keyOf(server.mcp)]);
  });

  it("does not send the server's headers to its authorization server", async () => {
    const setting = await setUp();
    const client = await signedIn(setting);
    setting.server.expire();
    await client.listTools();
    const [exchange, refresh, ...more] = setting.server.tokenRequests;
    expect(more).toEqual([]);
    for (const request of [exchange, refresh]) expect(request?.headers).not.toHaveProperty("x-api-key");
  });

  it("keeps tokens across a restart, for the same user, server and address only", async () => {
    const setting = await setUp();
    await signedIn(setting);
    const { server, make, settings } = setting;
    const again = make();
    const client = await connect(again.for("ana", "mail", settings), server.mcp);
    expect((await client.listTools()).tools).toHaveLength(1);
    const others = [
      again.for("bob", "mail", settings),
      again.for("ana", "calendar", settings),
      again.for("ana", "mail", remote(`${server.origin}/other`)),
    ];
    for (const other of others) expect(await other.provider.token()).toBeUndefined();
  });

  it("rejects a state that is wrong, missing, expired, of another user, or used", async () => {
    const { server, sessions, ana, clock } = await setUp();
    const unknown = /unknown, already used, or expired/;
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const query = await server.signIn(ana.authorizeUrl ?? "");
    const changed = (change: (copy: URLSearchParams) => void) => {
      const copy = new URLSearchParams(query);
      change(copy);
      return copy;
    };
    await expect(
      sessions.authorized(
        changed((q) => q.set("state", "x")),
        "ana",
      ),
    ).rejects.toThrow(unknown);
    await expect(
      sessions.authorized(
        changed((q) => q.delete("state")),
        "ana",
      ),
    ).rejects.toThrow(unknown);
    await expect(
      sessions.authorized(
        changed((q) => q.append("code", "x")),
        "ana",
      ),
    ).rejects.toThrow(unknown);
    // Another user sent them this link: that user's sign-in is not completed with their account.
    await expect(sessions.authorized(query, "bob")).rejects.toThrow(unknown);
    expect(server.tokenRequests).toEqual([]);
    await sessions.authorized(query, "ana");
    await expect(sessions.authorized(query, "ana")).rejects.toThrow(unknown);
    expect(server.tokenRequests).toHaveLength(1);

    await ana.signOut();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const late = await server.signIn(ana.authorizeUrl ?? "");
    clock.time += 600_000;
    await expect(sessions.authorized(late, "ana")).rejects.toThrow(unknown);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it("an anonymous browser completes a sign-in only if there is a single user", async () => {
    const { server, sessions, ana, secrets, settings } = await setUp();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const query = await server.signIn(ana.authorizeUrl ?? "");
    await expect(sessions.authorized(query)).rejects.toMatchObject({
      data: { code: "server-unauthorized" },
      message: "Sign in to the gateway in this browser first, then start again.",
    });
    expect(server.tokenRequests).toEqual([]);
    await sessions.authorized(query, "ana");

    const alone = new OAuthSessions({
      secrets,
      redirectUrl: () => CALLBACK,
      fetch: () => fetch,
      needsUser: () => false,
    });
    const local = alone.for("local", "mail", settings);
    await expect(connect(local, server.mcp)).rejects.toThrow();
    await alone.authorized(await server.signIn(local.authorizeUrl ?? ""));
    expect(await local.provider.token()).toBeDefined();
  });

  it("sends a replayed code once, and gets nothing", async () => {
    const { server, sessions, ana } = await setUp();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const first = await server.signIn(ana.authorizeUrl ?? "");
    await sessions.authorized(first, "ana");
    await ana.signOut();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const second = await server.signIn(ana.authorizeUrl ?? "");
    second.set("code", first.get("code") ?? "");
    await expect(sessions.authorized(second, "ana")).rejects.toMatchObject({
      data: { code: "server-unauthorized" },
    });
    expect(server.tokenRequests.map(({ status }) => status)).toEqual([200, 400]);
    expect(await ana.provider.token()).toBeUndefined();
  });

  it.each([
    ["a code", "code"],
    ["an error", "error"],
  ])("rejects %s in the name of another authorization server before reading it", async (_, name) => {
    const { server, sessions, ana } = await setUp();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const query = await server.signIn(ana.authorizeUrl ?? "");
    query.set("iss", "https://evil.example");
    query.set(name, "access_denied");
    await expect(sessions.authorized(query, "ana")).rejects.toThrow(/^mail: sign-in could not be completed$/);
    expect(server.tokenRequests).toEqual([]);
  });

  it("reports a rejected sign-in without repeating text of the authorization server", async () => {
    const { server, sessions, ana } = await setUp();
    server.denies = true;
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const query = await server.signIn(ana.authorizeUrl ?? "");
    query.set("error_description", "<script>alert(1)</script>");
    await expect(sessions.authorized(query, "ana")).rejects.toThrow(
      /^mail: sign-in ended with access_denied$/,
    );
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const strange = await server.signIn(ana.authorizeUrl ?? "");
    strange.set("error", "<b>no</b>");
    await expect(sessions.authorized(strange, "ana")).rejects.toThrow(/^mail: sign-in failed$/);
  });

  it("ten calls with an expired token cause a single refresh, and all succeed", async () => {
    const setting = await setUp();
    const client = await signedIn(setting);
    const { server, ana } = setting;
    server.expire();
    server.tokenRequests.length = 0;
    server.presented.length = 0;
    let release = () => {};
    server.hold = new Promise<void>((resolve) => (release = resolve));
    const calls = Array.from({ length: 10 }, () => client.listTools());
    // All ten are rejected before the refresh is answered.
    await vi.waitFor(() => expect(server.presented).toHaveLength(10), { timeout: 20_000 });
    await vi.waitFor(() => expect(server.tokenRequests).toHaveLength(1), { timeout: 20_000 });
    release();
    for (const { tools } of await Promise.all(calls)) expect(tools).toHaveLength(1);
    expect(server.tokenRequests.map(({ params }) => params.get("grant_type"))).toEqual(["refresh_token"]);
    expect(server.tokenRequests[0]?.params.get("resource")).toBe(server.mcp);
    expect(ana.authorizeUrl).toBeUndefined();
  });

  it("a rejection that arrives after the refresh causes no second refresh", async () => {
    const setting = await setUp();
    await signedIn(setting);
    const { server, ana } = setting;
    const old = await ana.provider.token();
    const watched = ana.watch(fetch);
    server.expire();
    const refused = () =>
      watched(server.mcp, { method: "POST", headers: { authorization: `Bearer ${old}` } });
    const [early, late] = [await refused(), await refused()];
    const challenge = (response: Response) =>
      ana.provider.onUnauthorized?.({ response, serverUrl: new URL(server.mcp), fetchFn: fetch });
    server.tokenRequests.length = 0;
    await challenge(early);
    await challenge(late);
    expect(server.tokenRequests).toHaveLength(1);
    expect(await ana.provider.token()).not.toBe(old);
  });

  it("a rejected refresh starts a new sign-in and deletes the tokens", async () => {
    const setting = await setUp();
    const client = await signedIn(setting);
    const { server, ana, secrets, sessions } = setting;
    vi.spyOn(console, "warn").mockImplementation(() => {});
    server.expire();
    server.revoke();
    await expect(client.listTools()).rejects.toThrow("sign in first");
    expect(ana.authorizeUrl).toContain(server.origin);
    expect(JSON.parse(secrets.map.get(keyOf(server.mcp)) ?? "").tokens).toBeUndefined();
    await sessions.authorized(await server.signIn(ana.authorizeUrl ?? ""), "ana");
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it("a failing token endpoint does not delete tokens: the next call retries the refresh", async () => {
    const setting = await setUp();
    const client = await signedIn(setting);
    const { server } = setting;
    vi.spyOn(console, "warn").mockImplementation(() => {});
    server.expire();
    server.fails = { status: 503, body: '{"error":"server_error"}' };
    await expect(client.listTools()).rejects.toThrow("sign in first");
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it("offers the same sign-in while it is pending, and a new one later", async () => {
    const { server, ana, clock, sessions } = await setUp();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const first = ana.authorizeUrl ?? "";
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    expect(ana.authorizeUrl).toBe(first);
    clock.time += 300_000;
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    expect(ana.authorizeUrl).not.toBe(first);
    // The first sign-in is still valid.
    await sessions.authorized(await server.signIn(first), "ana");
    expect(await ana.provider.token()).toBeDefined();
    expect(server.registrations).toHaveLength(1);
  });

  it("starts a new sign-in when a server requires more rights", async () => {
    const setting = await setUp();
    const client = await signedIn(setting);
    const { server, ana, sessions } = setting;
    server.wants = "write";
    const error = await client.listTools().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ requiredScope: "write" });
    await expect(ana.needsMore(Object(error))).rejects.toThrow("sign in first");
    expect(new URL(ana.authorizeUrl ?? "").searchParams.get("scope")).toBe("read write");
    await sessions.authorized(await server.signIn(ana.authorizeUrl ?? ""), "ana");
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it.each([
    ["javascript:alert(document.domain)"],
    ["data:text/html,<script>alert(1)</script>"],
    ["file:///etc/passwd"],
    ["http://evil.example/authorize"],
    ["https://user:secret@evil.example/authorize"],
    ["https://a$(calc.exe).example/authorize"],
    ["not an address"],
  ])("CVE-2025-58444: rejects an authorization endpoint %s", async (authorizationEndpoint) => {
    const { server, ana } = await setUp({ authorizationEndpoint });
    await expect(connect(ana, server.mcp)).rejects.toMatchObject({ data: { code: "server-unauthorized" } });
    expect(ana.authorizeUrl).toBeUndefined();
  });

  it("CVE-2025-6514: encodes shell characters in an authorization endpoint", async () => {
    const authorizationEndpoint = "https://as.example/$(calc)/`id`/'x'?a=\"|;b";
    const { server, ana } = await setUp({ authorizationEndpoint });
    await expect(connect(ana, server.mcp)).rejects.toThrow("sign in first");
    expect(ana.authorizeUrl).toMatch(/^https:\/\/as\.example\/%24%28calc%29\/%60id%60\/%27x%27\?a=%22%7C/);
    expect(ana.authorizeUrl).toMatch(/^[\w\-.~:/?#@!&*+,;=%[\]]+$/);
  });

  it("a remote server cannot send the user to this machine", async () => {
    const { server, ana } = await setUp({}, { privateNetwork: false });
    await expect(connect(ana, server.mcp)).rejects.toThrow("is on this machine, but the server is not");
    expect(ana.authorizeUrl).toBeUndefined();
  });

  it("uses a configured client with its secret only at the authorization server of the first sign-in", async () => {
    const setting = await setUp({ registers: false }, { clientId: "configured", clientSecret: "s3cret" });
    await signedIn(setting);
    const { server, secrets, settings } = setting;
    expect(server.registrations).toEqual([]);
    expect(server.tokenRequests[0]?.authorization).toBe(
      `Basic ${Buffer.from("configured:s3cret").toString("base64")}`,
    );
    expect(secrets.map.get(keyOf(settings.url))).not.toContain("s3cret");

    // The server now names another authorization server.
    const thief = await start();
    const moved = await start({ authorizationServer: thief.origin });
    const saved = JSON.parse(secrets.map.get(keyOf(settings.url)) ?? "");
    secrets.map.set(keyOf(moved.mcp), JSON.stringify({ ...saved, url: moved.mcp }));
    const session = setting.make().for("ana", "mail", { ...settings, url: moved.mcp });
    await expect(connect(session, moved.mcp)).rejects.toThrow(/names a different authorization server/);
    expect(session.authorizeUrl).toBeUndefined();
    expect(thief.tokenRequests).toEqual([]);
  });

  it("attack E01: does not send tokens of one URL to another of the same name, and keeps them for the first", async () => {
    const setting = await setUp();
    await signedIn(setting);
    const { server, settings, make } = setting;
    const other = await start();
    const eve = make().for("ana", "mail", remote(other.mcp));
    await expect(connect(eve, other.mcp)).rejects.toThrow("sign in first");
    expect(other.tokenRequests).toEqual([]);
    expect(other.presented.filter(Boolean)).toEqual([]);
    await connect(make().for("ana", "mail", settings), server.mcp);
  });

  it("finds tokens that were stored before servers had identities, for the same URL only", async () => {
    const setting = await setUp();
    await signedIn(setting);
    const { server, secrets, settings, make } = setting;
    secrets.map.set("oauth/ana/mail", secrets.map.get(keyOf(server.mcp)) ?? "");
    secrets.map.delete(keyOf(server.mcp));
    await connect(make().for("ana", "mail", settings), server.mcp);
    const other = await start();
    await expect(connect(make().for("ana", "mail", remote(other.mcp)), other.mcp)).rejects.toThrow(
      "sign in first",
    );
    expect(other.presented.filter(Boolean)).toEqual([]);
    // Signing out deletes those too.
    await make().for("ana", "mail", settings).signOut();
    expect([...secrets.map.keys()].filter((key) => key !== keyOf(other.mcp))).toEqual([]);
  });

  it("does not send tokens of one authorization server to another", async () => {
    const setting = await setUp();
    await signedIn(setting);
    const { secrets, settings, make } = setting;
    const other = await start();
    const moved = await start({ authorizationServer: other.origin });
    const saved = JSON.parse(secrets.map.get(keyOf(settings.url)) ?? "");
    secrets.map.set(keyOf(moved.mcp), JSON.stringify({ ...saved, url: moved.mcp }));
    const session = make().for("ana", "mail", { ...settings, url: moved.mcp });
    await expect(connect(session, moved.mcp)).rejects.toThrow("sign in first");
    expect(new URL(session.authorizeUrl ?? "").origin).toBe(other.origin);
    expect(other.tokenRequests).toEqual([]);
    expect(other.registrations).toHaveLength(1);
  });

  it("uses only the issuer in the settings", async () => {
    const { server, ana } = await setUp({}, { issuer: "https://login.example.com" });
    await expect(connect(ana, server.mcp)).rejects.toThrow(
      /a different authorization server than https:\/\/login/,
    );
    expect(server.registrations).toEqual([]);
  });

  it("rejects a late redirect after the settings have changed", async () => {
    const { server, sessions, ana, settings } = await setUp();
    await expect(connect(ana, server.mcp)).rejects.toThrow();
    const query = await server.signIn(ana.authorizeUrl ?? "");
    expect(sessions.for("ana", "mail", { ...settings })).toBe(ana);
    expect(sessions.for("ana", "mail", { ...settings, scope: "all" })).not.toBe(ana);
    await expect(sessions.authorized(query, "ana")).rejects.toThrow("This sign-in is unknown");
    expect(server.tokenRequests).toEqual([]);
  });

  it("reports a failing store, and tries again", async () => {
    const { server, settings } = await setUp();
    const secrets = memorySecrets();
    const get = vi.spyOn(secrets, "get").mockRejectedValueOnce(new Error("disk"));
    const sessions = new OAuthSessions({ secrets, redirectUrl: () => CALLBACK, fetch: () => fetch });
    const session = sessions.for("ana", "mail", settings);
    await expect(connect(session, server.mcp)).rejects.toThrow("disk");
    await expect(connect(session, server.mcp)).rejects.toThrow("sign in first");
    expect(get).toHaveBeenCalledTimes(3);
  });
});
