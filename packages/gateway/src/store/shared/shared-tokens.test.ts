/** Tokens of a user that several nodes use, with a real authorization server that rotates refresh tokens. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { identityOf, OAuthSessions, type RemoteSettings } from "@vitrine/servers";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { randomKey, startNodesDatabase } from "../../../../../testing/gateway/shared-nodes.js";
import { startOAuthServer } from "../../../../../testing/oauth-server.js";
import type { QueryEngine } from "../engine.js";
import { StoredLeases } from "./stored-leases.js";
import { StoredSecrets } from "./stored-secrets.js";

const { nodesOn, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of open.splice(0).reverse()) await close();
});

const key = await randomKey();

async function makeNode(engine: QueryEngine, settings: RemoteSettings, lifetime?: number) {
  const secrets = await StoredSecrets.open(engine, [key]);
  const leases = new StoredLeases(engine, lifetime);
  const net: { fetch: typeof fetch } = { fetch };
  const sessions = new OAuthSessions({
    secrets,
    shared: { secrets, leases },
    redirectUrl: () => "http://127.0.0.1:8090/oauth/callback",
    fetch: () => (url, init) => net.fetch(url, init),
  });
  const session = sessions.for("ana", "mail", settings);
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
      authProvider: session.provider,
      fetch: session.watch(fetch),
    });
    open.push(() => client.close());
    await client.connect(transport);
    // The stream that it opens in the background is rejected by now, and not with an expired token later.
    await client.listTools();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return client;
  };
  return { connect, leases, net, secrets, session, sessions };
}

describe.each(nodesOn(open))("tokens of nodes on %s", (_, twoNodes) => {
  const setUp = async (lifetime?: number) => {
    const server = await startOAuthServer();
    open.push(() => server.close());
    const settings: RemoteSettings = {
      type: "http",
      url: server.mcp,
      headers: {},
      oauth: true,
      privateNetwork: true,
    };
    const [a, b] = await twoNodes();
    const [one, two] = [await makeNode(a, settings, lifetime), await makeNode(b, settings, lifetime)];
    await expect(one.connect()).rejects.toThrow("sign in first");
    await one.sessions.authorized(await server.signIn(one.session.authorizeUrl ?? ""), "ana");
    two.session.reload();
    const secret = `oauth/ana/mail/${identityOf({ url: server.mcp })}`;
    const refreshes = () =>
      server.tokenRequests.filter(({ params }) => params.get("grant_type") === "refresh_token");
    return { a, b, one, two, refreshes, secret, server };
  };

  it("two nodes that find an expired token refresh it once, and both continue", async () => {
    const { one, two, refreshes, server } = await setUp();
    const clients = [await one.connect(), await two.connect()];
    expect(server.registrations).toHaveLength(1);
    for (let round = 1; round <= 3; round++) {
      server.expire();
      const lists = await Promise.all([...clients, ...clients].map((client) => client.listTools()));
      for (const { tools } of lists) expect(tools).toHaveLength(1);
      expect(refreshes()).toHaveLength(round);
    }
    expect(server.reused).toEqual([]);
  });

  it("a node that was away finds the tokens of the other one", async () => {
    const { one, two, refreshes, server } = await setUp();
    const [first, second] = [await one.connect(), await two.connect()];
    for (let round = 0; round < 3; round++) {
      server.expire();
      await first.listTools();
    }
    expect((await second.listTools()).tools).toHaveLength(1);
    expect(refreshes()).toHaveLength(3);
    expect(server.reused).toEqual([]);
  });

  it("a node that dies before it refreshes holds the others up until its lease ends", async () => {
    const { one, two, refreshes, secret, server } = await setUp(1500);
    const client = await two.connect();
    server.expire();
    expect(await one.leases.take(secret)).toBeDefined();
    expect(await two.leases.take(secret)).toBeUndefined();
    const began = performance.now();
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(performance.now() - began).toBeGreaterThan(1000);
    expect(refreshes()).toHaveLength(1);
  });

  it("a refresh token that a dead node has sent is not sent again: the user signs in", async () => {
    const { one, two, refreshes, server } = await setUp(500);
    const [first, second] = [await one.connect(), await two.connect()];
    server.expire();
    // It dies with the answer on its way.
    one.net.fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (!(init?.body instanceof URLSearchParams)) return answer;
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
    };
    await expect(first.listTools()).rejects.toThrow(/sign-in is not possible|sign in first/);
    await expect(second.listTools()).rejects.toThrow("sign in first");
    expect(refreshes()).toHaveLength(1);
    expect(server.reused).toEqual([]);
    await two.sessions.authorized(await server.signIn(two.session.authorizeUrl ?? ""), "ana");
    expect((await second.listTools()).tools).toHaveLength(1);
  });

  it("a node that freezes in a refresh stores its tokens when it wakes, if nobody has signed in since", async () => {
    const { one, two, refreshes, server } = await setUp(300);
    const [first, second] = [await one.connect(), await two.connect()];
    server.expire();
    let wake = (): void => {};
    const frozen = new Promise<void>((resolve) => {
      wake = resolve;
    });
    one.net.fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (init?.body instanceof URLSearchParams) await frozen;
      return answer;
    };
    const waiting = first.listTools();
    await vi.waitFor(() => expect(refreshes()).toHaveLength(1));
    await expect(second.listTools()).rejects.toThrow("sign in first");
    wake();
    expect((await waiting).tools).toHaveLength(1);
    expect((await second.listTools()).tools).toHaveLength(1);
    expect([refreshes().length, server.reused]).toEqual([1, []]);
  });

  it("a node that freezes before it refreshes does not send the token that another one has used", async () => {
    const { one, two, refreshes, server } = await setUp(300);
    const [first, second] = [await one.connect(), await two.connect()];
    server.expire();
    let wake = (): void => {};
    const frozen = new Promise<void>((resolve) => {
      wake = resolve;
    });
    // Discovery comes before the note and the refresh.
    let isFrozen = false;
    one.net.fetch = async (url, init) => {
      const answer = await fetch(url, init);
      isFrozen = true;
      await frozen;
      return answer;
    };
    const waiting = first.listTools();
    await vi.waitFor(() => expect(isFrozen).toBe(true));
    expect((await second.listTools()).tools).toHaveLength(1);
    wake();
    // It uses the new tokens, and the user need not sign in.
    expect((await waiting).tools).toHaveLength(1);
    expect(one.session.authorizeUrl).toBeUndefined();
    expect([refreshes().length, server.reused]).toEqual([1, []]);
  });

  it("a token endpoint that is unavailable, or cannot be reached, costs no sign-in", async () => {
    const { one, refreshes, server } = await setUp();
    const client = await one.connect();
    server.expire();
    server.fails = { status: 503, body: '{"error":"temporarily_unavailable"}' };
    await expect(client.listTools()).rejects.toThrow();
    one.net.fetch = async (url, init) => {
      if (!(init?.body instanceof URLSearchParams)) return fetch(url, init);
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
    };
    await expect(client.listTools()).rejects.toThrow();
    one.net.fetch = fetch;
    expect((await client.listTools()).tools).toHaveLength(1);
    expect([refreshes().length, server.reused]).toEqual([2, []]);
  });

  it("a sign-out on one node ends the tokens of the other at the next refresh", async () => {
    const { one, two, refreshes, server } = await setUp();
    const second = await two.connect();
    await one.session.signOut();
    server.expire();
    await expect(second.listTools()).rejects.toThrow("sign in first");
    expect(refreshes()).toEqual([]);
  });
});
