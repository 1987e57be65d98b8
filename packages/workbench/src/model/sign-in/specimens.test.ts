/** Broken servers, each explained: real authorization servers behind a real gateway, with one fault at a time. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../../../testing/free-port.js";
import { RawPage } from "../../../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../../../testing/gateway/gateway-stage.js";
import {
  type OidcFaults,
  type OidcServers,
  signInAt,
  startOidcServers,
} from "../../../../../testing/oauth/sign-in-servers.js";
import type { Explanation } from "./attempt-facts.js";
import { explain } from "./explain.js";

let folder: string;
let gateway: RunningGateway;
let oidc: OidcServers;
let callback: string;
let page: RawPage;
let nobody: number;
/** Each specimen has a server of its own, which knows no client yet. */
const SERVERS = Array.from({ length: 40 }, (_, index) => `server-${index}`);
let next = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-specimens-"));
  const port = await freePort();
  nobody = await freePort();
  callback = `http://127.0.0.1:${port}/oauth/callback`;
  oidc = await startOidcServers({ redirectUri: callback });
  const enterprise = (name: string, more = {}) => ({
    url: oidc.mcp,
    oauth: {
      clientId: "mcp-client",
      clientSecret: "mcp-client-secret",
      issuer: oidc.issuer,
      enterprise: {
        tokenEndpoint: `${oidc.identity}/token`,
        clientId: "gateway",
        clientSecret: "identity-client-secret",
        idTokenFile: join(folder, `${name}.jwt`),
        ...more,
      },
    },
  });
  const token = async (seconds: number) =>
    (await fetch(`${oidc.identity}/id-token?user=ana&seconds=${seconds}`)).text();
  await writeFile(join(folder, "good.jwt"), await token(3600));
  await writeFile(join(folder, "late.jwt"), await token(-600));
  await writeFile(join(folder, "other.jwt"), "no token at all");
  ({ gateway } = await startTestGateway(
    {
      listen: { port },
      mcpServers: {
        ...Object.fromEntries(SERVERS.map((name) => [name, { url: oidc.mcp }])),
        "wrong-secret": { url: oidc.mcp, oauth: { clientId: "known", clientSecret: "not the secret" } },
        elsewhere: {
          url: oidc.mcp,
          oauth: { clientId: "elsewhere", clientSecret: "elsewhere-client-secret" },
        },
        moved: { url: oidc.mcp, oauth: { issuer: "https://login.example.com" } },
        "no-token": enterprise("missing"),
        "no-jwt": enterprise("other"),
        "late-token": enterprise("late"),
        "id-client": enterprise("good", { clientSecret: "not the secret" }),
        "jag-client": enterprise("good"),
        "jag-audience": enterprise("good"),
      },
    },
    join(folder, "data"),
  ));
  page = new RawPage({ origin: gateway.origin, token: gateway.token ?? "", over: "websocket" });
}, 120_000);
afterAll(async () => {
  page?.close();
  await gateway?.close(0);
  await oidc?.close();
  await rm(folder, { recursive: true, force: true });
});

const fresh = (): string => SERVERS[next++] ?? "none";

/** The explanations of the last attempt, the ways out included. */
async function explained(server: string): Promise<Explanation[]> {
  const state = await page.request("gateway/sign-in", { server });
  const attempt = state.attempts.at(-1);
  if (!attempt) throw new Error("nothing was recorded");
  const found = explain(attempt, state);
  for (const { text, fix } of found) {
    expect(text).not.toMatch(/undefined|null|\[object/);
    expect(fix).toMatch(/\.$/);
  }
  return found;
}
const codes = async (server: string, level?: Explanation["level"]): Promise<string[]> =>
  (await explained(server)).filter((each) => !level || each.level === level).map(({ code }) => code);

const start = (server: string) => page.request("gateway/start", { server });

/** Signs in completely. */
async function signIn(server: string, faults: OidcFaults = {}): Promise<void> {
  await oidc.break({});
  await start(server);
  const { authorizeUrl = "" } = await page.request("gateway/sign-in", { server });
  const back = await signInAt(authorizeUrl, callback);
  await oidc.break(faults);
  await fetch(back);
}

it.each<[code: string, faults: OidcFaults, level?: Explanation["level"]]>([
  ["no-challenge", { noChallenge: true }, "warning"],
  ["no-resource-metadata", { noResourceMetadata: true }],
  ["resource-mismatch", { resource: "https://other.example/mcp" }],
  ["no-server-metadata", { noServerMetadata: true }],
  ["metadata-not-json", { html: true }],
  ["no-answer", { unreachable: true }],
  ["issuer-mismatch", { metadata: { issuer: "https://impostor.example" } }],
  ["no-s256", { metadata: { code_challenge_methods_supported: ["plain"] } }],
  ["no-s256", { withoutMetadata: ["code_challenge_methods_supported"] }, "warning"],
  ["no-code-flow", { metadata: { response_types_supported: ["id_token"] } }],
  ["authorize-address", { metadata: { authorization_endpoint: "http://login.example/auth" } }],
  ["no-registration", { withoutMetadata: ["registration_endpoint"] }],
  ["registration-redirect", { registrationError: "invalid_redirect_uri" }],
  ["registration-metadata", { registrationError: "invalid_client_metadata" }],
  ["registration-refused", { registrationError: "unauthorized" }],
  ["waiting", {}, "hint"],
  ["clock-skew", { clock: 3_600_000 }, "warning"],
])("explains %s before the user signs in", async (code, faults, level = "problem") => {
  const server = fresh();
  await oidc.break(faults);
  await start(server);
  expect(await codes(server, level)).toContain(code);
  // A problem is named where it is, and not by the last resort.
  expect(await codes(server)).not.toContain("failed");
});

it("explains an authorization server that is not there", async () => {
  const server = fresh();
  await oidc.break({ authorizationServer: `http://127.0.0.1:${nobody}` });
  await start(server);
  expect(await codes(server, "problem")).toEqual(["unreachable"]);
});

it.each([
  ["access_denied", "authorization-access_denied"],
  ["invalid_scope", "authorization-invalid_scope"],
  ["server_error", "authorization-server_error"],
  ["something_new", "authorization-something_new"],
])("explains the answer %s of an authorization server", async (error, code) => {
  const server = fresh();
  await oidc.break({});
  await start(server);
  const { authorizeUrl = "" } = await page.request("gateway/sign-in", { server });
  const back = await signInAt(authorizeUrl, callback);
  back.searchParams.delete("code");
  back.searchParams.set("error", error);
  await fetch(back);
  expect(await codes(server, "problem")).toEqual([code]);
});

it.each<[string, (back: URLSearchParams) => void]>([
  ["answer-of-another", (back) => back.set("iss", "https://impostor.example")],
  ["answer-without-issuer", (back) => back.delete("iss")],
  ["no-code", (back) => back.delete("code")],
])("explains %s", async (code, change) => {
  const server = fresh();
  await oidc.break({});
  await start(server);
  const { authorizeUrl = "" } = await page.request("gateway/sign-in", { server });
  const back = await signInAt(authorizeUrl, callback);
  change(back.searchParams);
  await fetch(back);
  expect(await codes(server, "problem")).toEqual([code]);
});

it.each<[string, OidcFaults]>([
  ["code-invalid-grant", { tokenError: "invalid_grant" }],
  ["token-invalid_client", { tokenError: "invalid_client" }],
  ["token-invalid_target", { tokenError: "invalid_target" }],
  ["token-rejected", { rejectsTokens: true }],
  ["wrong-audience", { audience: "https://other.example" }],
])("explains %s after the user has agreed", async (code, faults) => {
  const server = fresh();
  await signIn(server, faults);
  await expect
    .poll(async () => {
      const { attempts, ...state } = await page.request("gateway/sign-in", { server });
      return attempts.flatMap((each) => explain(each, { ...state, attempts })).map((each) => each.code);
    })
    .toContain(code);
});

it("explains missing rights, and starts a sign-in for them", async () => {
  const server = fresh();
  await signIn(server);
  await expect
    .poll(async () => (await page.request("gateway/call", { server, name: "who" })).isError)
    .toBeFalsy();
  await oidc.break({ wants: "mcp:admin" });
  await expect(page.request("gateway/call", { server, name: "who" })).rejects.toThrow();
  expect(await explained(server)).toContainEqual(
    expect.objectContaining({ code: "insufficient-scope", text: expect.stringContaining("mcp:admin") }),
  );
});

it("explains an expired token, which is refreshed, and a refresh that is refused", async () => {
  const server = fresh();
  await oidc.break({ tokenSeconds: 2 });
  await start(server);
  const { authorizeUrl = "" } = await page.request("gateway/sign-in", { server });
  await fetch(await signInAt(authorizeUrl, callback));
  await expect.poll(async () => (await page.request("gateway/sign-in", { server })).tokens).toBeDefined();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await page.request("gateway/call", { server, name: "who" });
  expect(await codes(server, "hint")).toContain("token-expired");
  await oidc.break({ tokenError: "invalid_grant" });
  await page.request("gateway/sign-in-refresh", { server });
  expect(await codes(server, "problem")).toEqual(["refresh-invalid-grant"]);
});

it.each([["wrong-secret", "token-invalid_client"]])(
  "explains settings of a client that are wrong (%s)",
  async (server, code) => {
    await signIn(server);
    expect(await codes(server, "problem")).toEqual([code]);
  },
);

it("tells which redirect address a client of the settings needs", async () => {
  await oidc.break({});
  await start("elsewhere");
  const { authorizeUrl = "" } = await page.request("gateway/sign-in", { server: "elsewhere" });
  // The authorization server shows an error, and does not come back.
  await expect(signInAt(authorizeUrl, callback)).rejects.toThrow(/redirect_uri/);
  expect(await explained("elsewhere")).toContainEqual(
    expect.objectContaining({ code: "check-redirect", fix: expect.stringContaining(callback) }),
  );
});

it("explains a server that names another authorization server than the settings", async () => {
  await oidc.break({});
  await start("moved");
  expect(await codes("moved", "problem")).toEqual(["other-issuer"]);
});

it.each<[server: string, code: string, faults?: OidcFaults]>([
  ["no-token", "no-id-token"],
  ["no-jwt", "id-token-no-jwt"],
  ["late-token", "id-token-expired"],
  ["id-client", "identity-client"],
  ["jag-client", "id-jag-client", { idJagClient: "somebody-else" }],
  ["jag-audience", "id-jag-audience", { idJagAudience: "https://other.example" }],
])("explains the enterprise's server %s", async (server, code, faults = {}) => {
  await oidc.break(faults);
  await start(server);
  const found = await codes(server, "problem");
  expect(found).toContain(code);
  expect(found.includes("assertion-invalid-grant")).toBe(code.startsWith("id-jag"));
});
