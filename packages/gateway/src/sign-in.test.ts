/** Users sign in at real authorization servers through a whole gateway, which records each step without secrets. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import { identityOf, openSecrets } from "@vitrine/servers";
import type { SignInAttempt, SignInEvent, SignInState, SignInStep } from "@vitrine/wire";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../../testing/free-port.js";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import {
  type OidcServers,
  signInAt,
  startOidcServers,
  startSdkExample,
} from "../../../testing/oauth/sign-in-servers.js";
import { signIn as browserOf } from "../../../testing/workbench/node-page.js";

const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };
const IDENTITY_SECRET = "identity-client-secret";

let folder: string;
let gateway: RunningGateway;
let oidc: OidcServers;
let example: Awaited<ReturnType<typeof startSdkExample>>;
let callback: string;
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-sign-in-"));
  const port = await freePort();
  callback = `http://127.0.0.1:${port}/oauth/callback`;
  [oidc, example] = await Promise.all([startOidcServers({ redirectUri: callback }), startSdkExample()]);
  await mkdir(join(folder, "tokens"));
  const remote = (oauth: object | boolean) => ({ url: oidc.mcp, oauth });
  const enterprise = {
    tokenEndpoint: `${oidc.identity}/token`,
    clientId: "gateway",
    clientSecret: IDENTITY_SECRET,
    idTokenFile: join(folder, "tokens", "{user}.jwt"),
  };
  ({ gateway } = await startTestGateway(
    {
      listen: { port },
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      mcpServers: {
        open: remote(true),
        again: remote(true),
        known: remote({ clientId: "known", clientSecret: "known-client-secret", issuer: oidc.issuer }),
        elsewhere: remote({ clientId: "elsewhere", clientSecret: "elsewhere-client-secret" }),
        example: { url: example.mcp },
        managed: remote({
          clientId: "mcp-client",
          clientSecret: "mcp-client-secret",
          issuer: oidc.issuer,
          enterprise,
        }),
        header: { url: oidc.mcp, headers: { Authorization: "Bearer held-by-the-operator" } },
        shared: { url: oidc.mcp, stateless: true },
        program: { command: process.execPath, args: ["-e", ""] },
      },
    },
    join(folder, "data"),
  ));
}, 120_000);
afterAll(async () => {
  for (const page of pages) page.close();
  await gateway?.close(0);
  await Promise.all([oidc?.close(), example?.close()]);
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => oidc.break({}));

function open(user: keyof typeof TOKENS = "ann"): RawPage {
  const page = new RawPage({ origin: gateway.origin, token: TOKENS[user], over: "websocket" });
  pages.push(page);
  return page;
}

const stateOf = (page: RawPage, server: string): Promise<SignInState> =>
  page.request("gateway/sign-in", { server });
const last = ({ attempts }: SignInState): SignInAttempt => {
  const attempt = attempts.at(-1);
  if (!attempt) throw new Error("nothing was recorded");
  return attempt;
};
const steps = ({ events }: SignInAttempt): SignInStep[] => [...new Set(events.map(({ step }) => step))];
const exchanges = ({ events }: SignInAttempt, step: SignInStep) =>
  events.filter(
    (event): event is Extract<SignInEvent, { kind: "exchange" }> =>
      event.kind === "exchange" && event.step === step,
  );

/** Returns from an authorization server, in the browser of this user. */
async function comeBack(address: URL, user: keyof typeof TOKENS = "ann"): Promise<Response> {
  const cookie = await browserOf(gateway.loginUrl(user));
  return fetch(address, { headers: { cookie } });
}

async function signIn(page: RawPage, server: string): Promise<{ back: URL; state: SignInState }> {
  await page.request("gateway/start", { server });
  const { authorizeUrl = "" } = await stateOf(page, server);
  const back = await signInAt(authorizeUrl, callback);
  expect((await comeBack(back)).status).toBe(200);
  await expect
    .poll(async () => exchanges(last(await stateOf(page, server)), "call").length, { timeout: 20_000 })
    .toBe(1);
  return { back, state: await stateOf(page, server) };
}

describe("oidc-provider", () => {
  it("records discovery, registration, authorization, token and the first call", async () => {
    const page = open();
    const { back, state } = await signIn(page, "open");
    const attempt = last(state);
    expect(attempt.outcome).toBe("signed-in");
    expect(steps(attempt)).toEqual([
      "challenge",
      "resource-metadata",
      "server-metadata",
      "registration",
      "authorization",
      "token",
      "call",
    ]);
    expect(exchanges(attempt, "challenge")[0]?.response).toMatchObject({
      status: 401,
      headers: expect.arrayContaining([["www-authenticate", expect.stringContaining(`scope="mcp:tools"`)]]),
    });
    expect(exchanges(attempt, "registration")[0]).toMatchObject({
      request: { method: "POST", body: { kind: "json", text: expect.stringContaining(callback) } },
      response: { status: 201 },
    });
    expect(exchanges(attempt, "token")[0]).toMatchObject({
      request: { body: { kind: "form", text: expect.stringContaining('"code_verifier":"[masked]"') } },
      response: { status: 200, body: { text: expect.stringContaining('"access_token":"[masked]"') } },
      claims: { aud: oidc.mcp, iss: oidc.issuer, scope: expect.stringContaining("mcp:tools") },
    });
    expect(exchanges(attempt, "call")[0]?.response?.status).toBe(200);
    expect(state.tokens).toMatchObject({ issuer: oidc.issuer, canRefresh: true });
    expect(state.tokens?.expiresAt).toBeGreaterThan(state.now + 3_000_000);
    expect(page.notices("gateway/sign-in-changed")).toContainEqual({ server: "open" });

    // No secret of this sign-in has reached the page, whatever message it was in.
    const sent = JSON.stringify([state, page.heard]);
    const { code, state: key } = Object.fromEntries(back.searchParams);
    const tokens = await storedTokens("open");
    expect(tokens).toHaveLength(2);
    for (const secret of [code, ...tokens]) {
      expect(secret?.length).toBeGreaterThan(20);
      expect(sent).not.toContain(secret);
    }
    expect(JSON.stringify(state)).not.toContain(key);
  }, 60_000);

  it("refreshes on request and records the call that follows", async () => {
    const page = open();
    const before = (await stateOf(page, "open")).tokens?.expiresAt ?? 0;
    const state = await page.request("gateway/sign-in-refresh", { server: "open" });
    expect(last(state)).toMatchObject({ outcome: "refreshed" });
    expect(exchanges(last(state), "refresh")).toMatchObject([
      {
        request: { body: { text: expect.stringContaining('"refresh_token":"[masked]"') } },
        response: { status: 200 },
      },
    ]);
    expect(state.tokens?.expiresAt).toBeGreaterThanOrEqual(before);
    await page.request("gateway/call", { server: "open", name: "who" });
    expect(exchanges(last(await stateOf(page, "open")), "call")).toMatchObject([
      { response: { status: 200 } },
    ]);
  }, 60_000);

  it("revokes and forgets the tokens on request", async () => {
    const page = open();
    const state = await page.request("gateway/sign-in-forget", { server: "open" });
    expect(state.tokens).toBeUndefined();
    const forgotten = state.attempts.find(({ outcome }) => outcome === "forgotten");
    const revoked = forgotten ? exchanges(forgotten, "sign-out") : [];
    // This authorization server cannot revoke access tokens that are JSON Web Tokens, and says so.
    expect(revoked.filter(({ request }) => request.url.includes("revocation"))).toMatchObject([
      { response: { status: 200 } },
      { response: { status: 400, body: { text: expect.stringContaining("unsupported_token_type") } } },
    ]);
    expect(await storedTokens("open")).toEqual([]);
    await expect(page.request("gateway/call", { server: "open", name: "who" })).rejects.toMatchObject({
      data: { code: "server-unauthorized" },
    });
  }, 60_000);

  it("belongs to its user: others see nothing and cannot complete it", async () => {
    const [ann, bea] = [open(), open("bea")];
    await ann.request("gateway/sign-in-start", { server: "again" });
    const { authorizeUrl = "", attempts } = await stateOf(ann, "again");
    expect(attempts).toHaveLength(1);
    expect(await stateOf(bea, "again")).toMatchObject({ attempts: [] });
    expect((await stateOf(bea, "again")).authorizeUrl).toBeUndefined();
    const back = await signInAt(authorizeUrl, callback);
    expect((await comeBack(back, "bea")).status).not.toBe(200);
    expect(bea.notices("gateway/sign-in-changed")).toEqual([]);
    expect((await stateOf(ann, "again")).tokens).toBeUndefined();
  }, 60_000);

  it("uses a client of the settings, whose secret no page gets", async () => {
    const page = open();
    const { state } = await signIn(page, "known");
    const attempt = last(state);
    expect(exchanges(attempt, "registration")).toEqual([]);
    expect(attempt.events).toContainEqual(
      expect.objectContaining({ code: "client-settings", facts: { client_id: "known" } }),
    );
    expect(exchanges(attempt, "token")[0]?.request.headers).toContainEqual([
      "authorization",
      "Basic [masked]",
    ]);
    expect(JSON.stringify([state, page.heard])).not.toContain("known-client-secret");
  }, 60_000);

  it("masks a code that an authorization server repeats in its error", async () => {
    const page = open();
    await page.request("gateway/sign-in-start", { server: "again" });
    const back = await signInAt((await stateOf(page, "again")).authorizeUrl ?? "", callback);
    await oidc.break({ tokenError: "invalid_grant" });
    expect((await comeBack(back)).status).not.toBe(200);
    const attempt = last(await stateOf(page, "again"));
    expect(attempt.outcome).toBe("failed");
    expect(exchanges(attempt, "token")[0]?.response?.body?.text).toContain("The code [masked] is not valid.");
    expect(JSON.stringify(attempt)).not.toContain(back.searchParams.get("code"));
  }, 60_000);

  it("keeps a few attempts only", async () => {
    const page = open();
    for (let n = 0; n < 14; n++) await page.request("gateway/sign-in-start", { server: "elsewhere" });
    const state = await stateOf(page, "elsewhere");
    expect(state.attempts).toHaveLength(10);
    expect(JSON.stringify(state).length).toBeLessThan(400_000);
  }, 60_000);
});

describe("the SDK's example server", () => {
  it("signs in with dynamic registration, and has no refresh token", async () => {
    const page = open();
    const { state } = await signIn(page, "example");
    expect(last(state).outcome).toBe("signed-in");
    expect(exchanges(last(state), "registration")[0]?.response?.status).toBe(201);
    expect(state.tokens).toMatchObject({ canRefresh: false });
    await expect(page.request("gateway/sign-in-refresh", { server: "example" })).rejects.toThrow(
      "there is no refresh token: sign in again",
    );
  }, 60_000);
});

describe("enterprise-managed authorization (ID-JAG)", () => {
  const idToken = async (user: string, seconds = 600) => {
    const token = await (await fetch(`${oidc.identity}/id-token?user=${user}&seconds=${seconds}`)).text();
    await writeFile(join(folder, "tokens", `${user}.jwt`), `${token}\n`);
    return token;
  };

  it("exchanges each user's own ID token for an ID-JAG, and that for a token", async () => {
    const [ann, bea] = [open(), open("bea")];
    const token = await idToken("ann");
    const result = await ann.request("gateway/call", { server: "managed", name: "who" });
    expect(result.content).toMatchObject([{ text: "ann" }]);
    const state = await stateOf(ann, "managed");
    expect(state).toMatchObject({ way: "enterprise", tokens: { canRefresh: true } });
    expect(steps(last(state))).toEqual([
      "challenge",
      "resource-metadata",
      "server-metadata",
      "registration",
      "identity",
      "token",
      "call",
    ]);
    expect(exchanges(last(state), "identity")[0]).toMatchObject({
      request: {
        url: `${oidc.identity}/token`,
        body: { text: expect.stringContaining('"subject_token":"[masked]"') },
      },
      claims: { typ: "oauth-id-jag+jwt", aud: oidc.issuer, client_id: "mcp-client", resource: oidc.mcp },
    });
    expect(exchanges(last(state), "token")[0]?.request.body?.text).toContain('"assertion":"[masked]"');
    const seen = JSON.stringify([state, ann.heard]);
    for (const secret of [token, IDENTITY_SECRET, "mcp-client-secret", ...(await storedTokens("managed"))])
      expect(seen).not.toContain(secret);
    // The other user has no ID token.
    await expect(bea.request("gateway/call", { server: "managed", name: "who" })).rejects.toThrow(
      "the file with the ID token cannot be read",
    );
    await idToken("bea");
    expect(last(await bea.request("gateway/sign-in-start", { server: "managed" })).outcome).toBe("signed-in");
    expect(await bea.request("gateway/call", { server: "managed", name: "who" })).toMatchObject({
      content: [{ text: "bea" }],
    });
  }, 60_000);

  it("renews on request, and says when the identity provider refuses", async () => {
    const page = open();
    await idToken("ann");
    expect(last(await page.request("gateway/sign-in-refresh", { server: "managed" })).outcome).toBe(
      "signed-in",
    );
    await idToken("ann", -60);
    await expect(page.request("gateway/sign-in-refresh", { server: "managed" })).rejects.toThrow();
    const failed = last(await stateOf(page, "managed"));
    expect(failed.outcome).toBe("failed");
    expect(exchanges(failed, "identity")[0]?.response).toMatchObject({
      status: 400,
      body: { text: expect.stringContaining("invalid_grant") },
    });
  }, 60_000);

  it("sends no file that holds something else", async () => {
    const page = open();
    await writeFile(join(folder, "tokens", "ann.jwt"), "root:x:0:0:root:/root:/bin/bash");
    await expect(page.request("gateway/sign-in-refresh", { server: "managed" })).rejects.toThrow(
      "the ID token is no JSON Web Token",
    );
    expect(exchanges(last(await stateOf(page, "managed")), "identity")).toEqual([]);
  }, 60_000);
});

it.each([
  ["header", "settings"],
  ["shared", "off"],
  ["program", "program"],
])("says why nobody signs in to the server %s", async (server, way) => {
  const page = open();
  const state = await stateOf(page, server);
  expect(state).toEqual({ way, now: expect.any(Number), attempts: [] });
  await expect(page.request("gateway/sign-in-start", { server })).rejects.toMatchObject({
    data: { code: "server-unauthorized" },
  });
});

it("records in the audit log who started, refreshed and forgot a sign-in", async () => {
  const rows = await gateway.api.audit.query({ user: "ann" }, { limit: 1000 });
  const methods = new Set(rows.map(({ method }) => method));
  for (const each of ["start", "refresh", "forget"]) expect(methods).toContain(`gateway/sign-in-${each}`);
});

/** The tokens of a user at a server, as the gateway stores them. */
async function storedTokens(server: string, url = oidc.mcp): Promise<string[]> {
  const secrets = await openSecrets({ folder: join(folder, "data") });
  const stored = await secrets.get(`oauth/ann/${server}/${identityOf({ url })}`);
  const { tokens = {} } = stored === undefined ? {} : JSON.parse(stored);
  return [tokens.access_token, tokens.refresh_token].filter((token) => token !== undefined);
}
