/** The sign-in tab of the built workbench, at real authorization servers that a user reaches in the browser. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import axe from "axe-core";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../../testing/browser.ts";
import { freePort } from "../../../../../testing/free-port.ts";
import { startTestGateway } from "../../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../../testing/gateway/workbench-page.ts";
import {
  type OidcServers,
  startOidcServers,
  startSdkExample,
} from "../../../../../testing/oauth/sign-in-servers.ts";

let folder: string;
let browser: Browser;
let gateway: RunningGateway;
let oidc: OidcServers;
let example: Awaited<ReturnType<typeof startSdkExample>>;
let page: Page;
let inspector: Locator;
let callback: string;
const complaints: string[] = [];
const strangers: string[] = [];
/** Everything that the gateway has sent to the page. */
const received: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-sign-in-tab-"));
  browser = await sharedChromium();
  const port = await freePort();
  callback = `http://127.0.0.1:${port}/oauth/callback`;
  [oidc, example] = await Promise.all([startOidcServers({ redirectUri: callback }), startSdkExample()]);
  const client = { clientId: "mcp-client", clientSecret: "mcp-client-secret", issuer: oidc.issuer };
  const enterprise = {
    tokenEndpoint: `${oidc.identity}/token`,
    clientId: "gateway",
    clientSecret: "identity-client-secret",
    idTokenFile: join(folder, "id.jwt"),
  };
  ({ gateway } = await startTestGateway(
    {
      listen: { port },
      mcpServers: {
        mail: { url: oidc.mcp },
        example: { url: example.mcp },
        managed: { url: oidc.mcp, oauth: { ...client, enterprise } },
        broken: { url: oidc.mcp },
        elsewhere: {
          url: oidc.mcp,
          oauth: { clientId: "elsewhere", clientSecret: "elsewhere-client-secret" },
        },
        header: { url: oidc.mcp, headers: { Authorization: "Bearer held-by-the-operator" } },
      },
    },
    join(folder, "data"),
    builtWorkbench(),
  ));
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  context.setDefaultTimeout(LIMIT);
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== gateway.origin) strangers.push(request.url());
  });
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => received.push(payload.toString())),
  );
  await page.goto(`${gateway.loginUrl()}#inspect`);
  inspector = page.getByRole("region", { name: "Inspector" });
  await inspector.getByRole("radio", { name: "Server" }).click();
}, 120_000);
afterAll(async () => {
  await page?.context().close();
  await gateway?.close(0);
  await Promise.all([oidc?.close(), example?.close()]);
  await rm(folder, { recursive: true, force: true });
});

const panel = () => inspector.getByRole("tabpanel");
const step = (name: string) => panel().getByRole("region", { name, exact: true });
const button = (name: string) => panel().getByRole("button", { name, exact: true });
const explanation = (code: string) => panel().locator(`[data-code="${code}"]`);

async function inspect(server: string): Promise<void> {
  await inspector.getByRole("button", { name: /The server to inspect/ }).click();
  await page.getByRole("option", { name: server, exact: true }).click();
  await inspector.getByRole("tab", { name: "Sign-in", exact: true }).click();
  await panel().getByRole("region", { name: "Sign-in" }).or(panel().getByText("nobody signs in")).waitFor();
}

/** Opens the page of the authorization server. */
async function openSignIn(): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  await panel().getByRole("link", { name: "Sign in", exact: true }).click();
  return opened;
}

async function axeFinds(): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await run.run(".inspector-pane");
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

it("a user signs in at oidc-provider, and sees each step with its messages and no secret", async () => {
  await inspect("mail");
  await step("Authorization with PKCE").getByText("waiting for you").waitFor();
  await explanation("waiting").getByText(callback).waitFor();
  const login = await openSignIn();
  let back = "";
  login.on("request", (request) => {
    if (request.url().startsWith(callback)) back = request.url();
  });
  await login.getByPlaceholder("Enter any login").fill("ana");
  await login.getByPlaceholder("and password").fill("any");
  await login.getByRole("button", { name: "Sign-in" }).click();
  await login.getByRole("button", { name: "Continue" }).click();
  await login.getByText("You are signed in to mail").waitFor();
  await login.close();
  await step("Steps").getByText("signed in", { exact: true }).waitFor();
  for (const name of [
    "Challenge of the server",
    "Metadata of the server",
    "Metadata of the authorization server",
    "Client registration",
    "Authorization with PKCE",
    "Token",
    "Call with the token",
  ])
    await step(name).getByText("done", { exact: true }).waitFor();
  const token = step("Token");
  await token.getByRole("button", { name: "Request and answer" }).click();
  await token.getByText('"[masked]"').first().waitFor();
  await token.getByText("POST", { exact: false }).first().waitFor();
  await token.getByRole("table", { name: "Headers of the answer" }).getByText("application/json").waitFor();
  const challenge = step("Challenge of the server");
  await challenge.getByRole("button", { name: "Request and answer" }).click();
  await challenge.getByText(/resource_metadata=/).waitFor();
  expect(await axeFinds()).toEqual([]);
  const code = new URL(back).searchParams.get("code") ?? "";
  expect(code.length).toBeGreaterThan(20);
  expect(await page.content()).not.toContain(code);
  expect(received.length).toBeGreaterThan(5);
  expect(received.join("\n")).not.toContain(code);
}, 120_000);

it("refreshes now, and forgets", async () => {
  await button("Refresh now").click();
  await step("Refresh").getByText("done", { exact: true }).waitFor();
  await step("Steps").getByText("refreshed", { exact: true }).waitFor();
  await oidc.break({ tokenError: "invalid_grant" });
  await button("Refresh now").click();
  await explanation("refresh-invalid-grant").getByText("Sign in again.").waitFor();
  await step("Refresh").getByText("failed", { exact: true }).waitFor();
  await oidc.break({});
  const login = await openSignIn();
  await login.getByRole("button", { name: "Continue" }).click();
  await login.getByText("You are signed in to mail").waitFor();
  await login.close();
  await button("Forget").click();
  await panel()
    .getByRole("region", { name: "Sign-in" })
    .getByText("not signed in")
    .or(panel().getByRole("region", { name: "Sign-in" }).getByText("waiting for you"))
    .waitFor();
  await panel()
    .getByRole("button", { name: /Attempt/ })
    .click();
  await page.getByRole("option", { name: /signed out/ }).click();
  await step("Sign out")
    .getByText(/revocation/)
    .first()
    .waitFor();
  await explanation("not-revoked").waitFor();
}, 120_000);

it("signs in at the SDK's example server, which has no refresh tokens", async () => {
  await inspect("example");
  const login = await openSignIn();
  await login.getByText("You are signed in to example").waitFor();
  await login.close();
  await step("Call with the token").getByText("done", { exact: true }).waitFor();
  await explanation("no-refresh-token").waitFor();
  expect(await button("Refresh now").count()).toBe(0);
}, 60_000);

it("shows the enterprise-managed flow, and says that the ID token is missing", async () => {
  await inspect("managed");
  await explanation("no-id-token").getByText("oauth.enterprise.idTokenFile").waitFor();
  const token = await (await fetch(`${oidc.identity}/id-token?user=ana`)).text();
  await writeFile(join(folder, "id.jwt"), token);
  await button("Get a token").click();
  await step("Identity assertion (ID-JAG)").getByText("done", { exact: true }).waitFor();
  await step("Call with the token").getByText("done", { exact: true }).waitFor();
  const identity = step("Identity assertion (ID-JAG)");
  await identity.getByRole("button", { name: "Request and answer" }).click();
  await identity.getByText('"oauth-id-jag+jwt"').waitFor();
  expect(await page.content()).not.toContain(token);
  expect(received.join("\n")).not.toContain(token);
  expect(await axeFinds()).toEqual([]);
}, 60_000);

it.each([
  ["resource-mismatch", { resource: "https://other.example/mcp" }],
  ["issuer-mismatch", { metadata: { issuer: "https://impostor.example" } }],
  ["no-s256", { metadata: { code_challenge_methods_supported: ["plain"] } }],
  ["metadata-not-json", { html: true }],
] as const)(
  "explains a broken server with a way out: %s",
  async (code, faults) => {
    await inspect("broken");
    await oidc.break(faults);
    await button("Start again").or(button("Start a sign-in")).click();
    await explanation(code).waitFor();
    expect(await explanation(code).locator("p").count()).toBe(2);
    await step("Steps").getByText("failed", { exact: true }).first().waitFor();
    await oidc.break({});
  },
  60_000,
);

it("says which redirect address is missing at the authorization server", async () => {
  await inspect("elsewhere");
  const login = await openSignIn();
  await login.getByText("redirect_uri did not match").waitFor();
  await login.close();
  await explanation("check-redirect").getByText(callback).waitFor();
}, 60_000);

it("says why nobody signs in, and keeps the operator's credentials", async () => {
  await inspect("header");
  await panel().getByText("The settings hold the credentials of this server").waitFor();
  expect(received.join("\n")).not.toContain("held-by-the-operator");
}, 60_000);

it("the page asks third parties for nothing, and complains about nothing", () => {
  expect(strangers).toEqual([]);
  expect(complaints).toEqual([]);
});
