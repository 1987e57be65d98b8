import { describe, expect, it } from "vitest";
import { needsTerminal } from "../setup/needs-terminal.js";
import { readSettings } from "./read.js";

const ENTERPRISE = { tokenEndpoint: "https://idp.example.com/token", clientId: "vitrine" };
const CLIENT = { clientId: "vitrine", issuer: "https://login.example.com" };
const chat = (enterprise: object, oauth: object = CLIENT) => ({
  url: "https://chat.example.com/mcp",
  oauth: { ...oauth, enterprise: { ...ENTERPRISE, ...enterprise } },
});
const user = (name: string) => ({ name, tokenHash: "0".repeat(64) });

const read = async (server: object, users: object[] = []) =>
  (await readSettings({ mcpServers: { chat: server }, ...(users.length > 0 && { users }) })).servers.get(
    "chat",
  )?.transport;

describe("oauth.enterprise", () => {
  it("is read with its file, for each user", async () => {
    const idTokenFile = "/run/tokens/{user}.jwt";
    expect(await read(chat({ idTokenFile }), [user("ana"), user("bob")])).toMatchObject({
      ...CLIENT,
      oauth: true,
      enterprise: { ...ENTERPRISE, idTokenFile },
    });
    expect(await read(chat({ idToken: "a.b.c" }))).toMatchObject({ enterprise: { idToken: "a.b.c" } });
  });

  it.each<[string, object, string, number?]>([
    ["no source", chat({}), "needs either idToken or idTokenFile; add exactly one of them"],
    ["two sources", chat({ idToken: "x", idTokenFile: "/x" }), "needs either idToken or idTokenFile"],
    ["no issuer", chat({ idToken: "x" }, { clientId: "x" }), "needs oauth.clientId and oauth.issuer"],
    [
      "no client",
      chat({ idToken: "x" }, { issuer: "https://x.example" }),
      "needs oauth.clientId and oauth.issuer",
    ],
    [
      "no endpoint",
      { url: "https://chat.example.com/mcp", oauth: { ...CLIENT, enterprise: { clientId: "x" } } },
      "has no tokenEndpoint",
    ],
    [
      "plain http",
      chat({ tokenEndpoint: "http://idp.example/token" }),
      "must be https, or an address of this machine",
    ],
    ["one token for a named user", chat({ idToken: "x" }), "idToken: all users would act as one", 1],
    ["one file for two users", chat({ idTokenFile: "/x" }), "idTokenFile: all users would act as one", 2],
  ])("is refused with one sentence: %s", async (_, server, sentence, users = 0) => {
    const named = ["ana", "bob"].slice(0, users).map(user);
    const problems = await read(server, named).then(
      () => "accepted",
      (error: unknown) => `${error}`,
    );
    expect(problems).toContain(`mcpServers.chat.oauth.enterprise`);
    expect(problems).toContain(sentence);
  });

  it("can be added or changed at the terminal only: it sends a file of this machine somewhere", () => {
    const judged = { fresh: new Set<string>(), wasUsed: () => true, isInForce: () => true };
    const { oauth: _, ...plain } = chat({});
    const [one, other] = [chat({ idTokenFile: "/run/a.jwt" }), chat({ idTokenFile: "/etc/passwd" })];
    expect(needsTerminal({ ...judged, before: plain, after: plain })).toBe(false);
    expect(needsTerminal({ ...judged, before: plain, after: one })).toBe(true);
    expect(needsTerminal({ ...judged, before: one, after: other })).toBe(true);
    expect(needsTerminal({ ...judged, before: one, after: { ...one, start: "eager" } })).toBe(false);
  });
});

it("oauth.clientMetadataUrl must be an https address with a path", async () => {
  const server = (clientMetadataUrl: string) => ({
    url: "https://x.example/mcp",
    oauth: { clientMetadataUrl },
  });
  expect(await read(server("https://g.example/client.json"))).toMatchObject({
    clientMetadataUrl: "https://g.example/client.json",
  });
  for (const wrong of ["http://g.example/client.json", "https://g.example/", "client.json"])
    await expect(read(server(wrong))).rejects.toThrow("must be an https address with a path");
});

it("an address that refers to a secret is marked, so that it is never shown", async () => {
  const plain = { url: "https://x.example/mcp" };
  expect(await read(plain)).not.toHaveProperty("hasSecretUrl");
  const { servers } = await readSettings(
    { mcpServers: { chat: { url: `https://x.example/\${API_TOKEN}/mcp` } } },
    { env: { HOME: "/home/ana", API_TOKEN: "hidden" } },
  );
  expect(servers.get("chat")?.transport).toMatchObject({ hasSecretUrl: true });
});
