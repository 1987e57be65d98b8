import { expect, it } from "vitest";
import { startOAuthServer } from "../../../../testing/oauth-server.js";
import type { RemoteSettings } from "../settings.js";
import { OAuthSessions } from "./sessions.js";
import { SignInRecord } from "./sign-in-record.js";

const LIFETIME = 600_000;
const clock = { time: 1_000_000 };
const record = (onchange?: () => void) => new SignInRecord({ now: () => clock.time, onchange });
const refused = () =>
  new Response("", { status: 401, headers: { "www-authenticate": 'Bearer scope="read"' } });
const MCP = "https://mcp.example/mcp";
const withToken = { method: "POST", headers: { authorization: "Bearer abcdefgh" } };

it("keeps the last ten attempts, forty events each, and a bounded number of characters", async () => {
  const kept = record();
  for (let attempts = 0; attempts < 12; attempts++) {
    const attempt = kept.start();
    for (let events = 0; events < 50; events++) kept.note(attempt, "token", "failed", { message: "m" });
  }
  const all = kept.attempts(LIFETIME);
  expect(all.map(({ id }) => id)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(all[0]).toMatchObject({ dropped: 10 });
  expect(all[0]?.events).toHaveLength(40);

  const large = record();
  const answer = () =>
    Promise.resolve(Response.json({ list: Array.from({ length: 100 }, () => "x y ".repeat(400)) }));
  for (let attempts = 0; attempts < 10; attempts++) {
    const fetch = large.fetch(large.start(), answer);
    for (let requests = 0; requests < 40; requests++)
      await fetch("https://as.example/.well-known/openid-configuration");
  }
  expect(JSON.stringify(large.attempts(LIFETIME)).length).toBeLessThan(310_000);
  expect(large.attempts(LIFETIME).at(-1)?.id).toBe(10);
});

it("counts calls that are refused together once", () => {
  const kept = record();
  for (let calls = 0; calls < 10; calls++) kept.called(MCP, { method: "POST" }, refused(), 1);
  expect(kept.attempts(LIFETIME)).toMatchObject([{ outcome: "running", events: [{ step: "challenge" }] }]);
  const attempt = kept.begin();
  kept.end(attempt, "waiting");
  kept.called(MCP, { method: "POST" }, refused(), 1);
  kept.merge(kept.begin());
  expect(kept.attempts(LIFETIME)).toMatchObject([{ id: 1, outcome: "waiting", repeated: 1 }]);
  clock.time += LIFETIME;
  expect(kept.attempts(LIFETIME)).toMatchObject([{ outcome: "expired" }]);
});

it("records the first answer to new tokens, and no other call", () => {
  const kept = record();
  kept.called(MCP, withToken, new Response("{}"), 1);
  expect(kept.attempts(LIFETIME)).toEqual([]);
  const attempt = kept.start();
  kept.end(attempt, "signed-in");
  // A server of an earlier revision refuses the first question.
  kept.called(MCP, withToken, new Response("{}", { status: 400 }), 1);
  for (let calls = 0; calls < 3; calls++) kept.called(MCP, withToken, new Response("{}"), 1);
  expect(kept.attempts(LIFETIME)[0]?.events).toMatchObject([
    { step: "call", request: { url: MCP }, response: { status: 200 } },
  ]);
  expect(JSON.stringify(kept.attempts(LIFETIME))).not.toContain("abcdefgh");
});

it("is not changed by its reader", () => {
  const kept = record();
  kept.note(kept.start(), "token", "failed", { message: "m" });
  const [copy] = kept.attempts(LIFETIME);
  copy?.events.pop();
  expect(kept.attempts(LIFETIME)[0]?.events).toHaveLength(1);
});

const settings = (url: string, more: Partial<RemoteSettings>): RemoteSettings => ({
  type: "http",
  url,
  headers: {},
  oauth: true,
  privateNetwork: true,
  ...more,
});
const sessions = () => {
  const secrets = new Map<string, string>();
  return new OAuthSessions({
    secrets: {
      get: async (key) => secrets.get(key),
      set: async (key, value) => void secrets.set(key, value),
      delete: async (key) => secrets.delete(key),
    },
    redirectUrl: () => "http://127.0.0.1:8090/oauth/callback",
    fetch: () => fetch,
  });
};

it("takes a client metadata document for the client, where the authorization server supports it", async () => {
  const server = await startOAuthServer({ acceptsDocuments: true });
  const clientMetadataUrl = "https://gateway.example/client.json";
  const all = sessions();
  const session = all.for("ana", "mail", settings(server.mcp, { clientMetadataUrl }));
  await session.signIn();
  expect(new URL(session.authorizeUrl ?? "").searchParams.get("client_id")).toBe(clientMetadataUrl);
  expect(server.registrations).toEqual([]);
  await all.authorized(await server.signIn(session.authorizeUrl ?? ""), "ana");
  const [attempt] = (await session.state()).attempts;
  expect(attempt).toMatchObject({ outcome: "signed-in" });
  expect(attempt?.events).toContainEqual(
    expect.objectContaining({ code: "client-document", facts: { client_id: clientMetadataUrl } }),
  );
  await server.close();
});

it("shows no part of an address that holds a secret, and none of the operator's headers", async () => {
  const server = await startOAuthServer();
  const url = `${server.origin}/mcp/hidden-key?tenant=hidden-tenant`;
  const headers = { "X-Key": "hidden-header" };
  const session = sessions().for("ana", "mail", settings(url, { hasSecretUrl: true, headers }));
  await session.signIn().catch(() => {});
  const state = await session.state();
  expect(state.attempts[0]?.events.length).toBeGreaterThan(1);
  expect(JSON.stringify({ ...state, authorizeUrl: "" })).not.toContain("hidden");
  await server.close();
});
