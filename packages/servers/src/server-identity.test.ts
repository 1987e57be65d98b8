import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLineServer, readSettings, readSettingsFile } from "@vitrine/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityOf } from "./server-identity.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-identity-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The identity of a server in a settings file. */
async function written(
  server: object,
  env: Record<string, string> = {},
  secrets: Record<string, string> = {},
) {
  const settings = await readSettings(
    { mcpServers: { mail: server } },
    { env: { HOME: "/home/ana", ...env }, secrets: async () => ({ get: async (key) => secrets[key] }) },
  );
  return settings.servers.get("mail")?.identity;
}

describe("attack E01: the identity of a server", () => {
  it.each([
    ["scopes of npm", ["npx", "-y", "@good/server-x"], ["npx", "-y", "@evil/server-x"], "server-x"],
    ["files in two folders", ["node", "/a/mail/index.js"], ["node", "/b/mail/index.js"], "mail"],
    ["two ports of a host", ["https://mail.example"], ["https://mail.example:8443"], "mail.example"],
    ["another path", ["https://mail.example/a"], ["https://mail.example/b"], "mail.example"],
    ["another query", ["https://mail.example/?a=1"], ["https://mail.example/?a=2"], "mail.example"],
    ["another order", ["mail", "--from", "--to"], ["mail", "--to", "--from"], "mail"],
    ["words that are joined", ["mail", "a b"], ["mail", "a", "b"], "mail"],
  ])("differs for %s, which have the same name", (_, one, other, name) => {
    const [first, second] = [commandLineServer(one), commandLineServer(other)];
    expect([first.name, second.name]).toEqual([name, name]);
    expect(first.identity).toMatch(/^[0-9a-f]{64}$/);
    expect(second.identity).not.toBe(first.identity);
  });

  it("differs for the same command in another folder", () => {
    const words = ["node", "server.js"];
    const [first, second] = ["/a", "/b"].map((cwd) => commandLineServer(words, { cwd }));
    expect(first?.name).toBe(second?.name);
    expect(first?.identity).not.toBe(second?.identity);
    expect(commandLineServer(words, { cwd: "/a" }).identity).toBe(first?.identity);
  });

  it("is the same for different notations of a URL", () => {
    const identity = identityOf({ url: "https://mail.example/mcp" });
    expect(identityOf({ url: "HTTPS://MAIL.example:443/x/../mcp" })).toBe(identity);
    expect(identityOf({ url: "https://mail.example/mcp/" })).not.toBe(identity);
  });

  it("differs for `..` after a symbolic link, which leads elsewhere than the text says", async () => {
    const program = { args: [], folder: "/a" };
    expect(identityOf({ command: "/a/link/../mail", ...program })).not.toBe(
      identityOf({ command: "/a/mail", ...program }),
    );
    expect(commandLineServer(["./link/../mail"], { cwd: "/a" }).identity).not.toBe(
      commandLineServer(["./mail"], { cwd: "/a" }).identity,
    );
    expect(await written({ command: "mail", cwd: "/a/link/.." })).not.toBe(
      await written({ command: "mail", cwd: "/a" }),
    );
    expect(identityOf({ command: "./mail", ...program })).toBe(
      identityOf({ command: "/a/./mail", ...program }),
    );
  });

  it("differs for another host, even if a secret contains the whole address", async () => {
    const server = { url: `\${secret:address}` };
    const at = (address: string) => written(server, {}, { "settings/address": address });
    expect(await at("https://good.example/s/1")).not.toBe(await at("https://evil.example/s/1"));
    expect(await at("https://good.example/s/1")).not.toBe(await at("https://good.example:8443/s/1"));
    // The path may be the secret.
    expect(await at("https://good.example/s/1")).toBe(await at("https://good.example/s/2"));
  });

  it("is the same after an update of Node, wherever it is installed", () => {
    const file = { args: ["server.js"], folder: "/a" };
    expect(identityOf({ command: process.execPath, ...file })).toBe(identityOf({ command: "node", ...file }));
    expect(identityOf({ command: "/tmp/node", ...file })).not.toBe(identityOf({ command: "node", ...file }));
  });

  it("resolves relative commands against the folder of the settings file, where the program starts", async () => {
    const server = { mcpServers: { mail: { command: "./mail", args: ["box.js"], isolation: "process" } } };
    const read = async (path: string) => {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), JSON.stringify(server));
      return (await readSettingsFile(join(folder, path))).servers.get("mail");
    };
    const [one, other, editor] = await Promise.all(
      ["a/mcp.json", "b/mcp.json", "a/.vscode/mcp.json"].map(read),
    );
    expect(one?.transport).toMatchObject({ command: join(folder, "a/mail"), folder: join(folder, "a") });
    expect(one?.identity).not.toBe(other?.identity);
    expect(editor?.transport).toMatchObject({ folder: join(folder, "a") });
  });

  it("contains no secrets: with another token it is the same", async () => {
    const remote = {
      url: `https://mail.example/\${secret:box}`,
      headers: { authorization: `Bearer \${TOKEN}` },
    };
    const program = {
      command: "mail",
      args: ["--token", `\${TOKEN}`],
      env: { API_KEY: `\${secret:box}`, DEBUG: "1" },
    };
    for (const server of [remote, program]) {
      const first = await written(server, { TOKEN: "one" }, { "settings/box": "s1" });
      expect(first).toMatch(/^[0-9a-f]{64}$/);
      expect(await written(server, { TOKEN: "two" }, { "settings/box": "s2" })).toBe(first);
    }
    expect(await written({ ...program, env: {} }, { TOKEN: "one" })).toBe(
      await written(program, { TOKEN: "one" }, { "settings/box": "s1" }),
    );
  });

  it("contains everything that decides which code runs: variables of loaders, the image of a container", async () => {
    const program = { command: "mail" };
    const plain = await written(program);
    expect(await written({ ...program, env: { NODE_OPTIONS: "--import /tmp/evil.mjs" } })).not.toBe(plain);
    expect(await written({ ...program, env: { PATH: "/tmp/evil" } })).not.toBe(plain);
    const image = (name: string) => written({ ...program, isolation: { driver: "container", image: name } });
    expect(await image("good/mail")).not.toBe(await image("evil/mail"));
    // An image without a driver, or with "auto", also runs in a container.
    const auto = (name: string) => written({ ...program, isolation: { image: name } });
    expect(await auto("good/mail")).not.toBe(await auto("evil/mail"));
    const typed = (name: string) => commandLineServer(["mail"], { isolation: { image: name } }).identity;
    expect(typed("good/mail")).not.toBe(typed("evil/mail"));
  });

  it.each([
    ...["JDK_JAVA_OPTIONS", "JAVA_HOME", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "COREHOST_TRACE"],
    ...[
      "GEM_HOME",
      "BUNDLE_GEMFILE",
      "PHPRC",
      "PHP_INI_SCAN_DIR",
      "LUA_PATH",
      "LUA_INIT_5_4",
      "PERLLIB",
      "PERL5DB",
    ],
    ...[
      "PYTHONUSERBASE",
      "PYTHONPYCACHEPREFIX",
      "CONDA_PREFIX",
      "GOPROXY",
      "GOFLAGS",
      "CARGO_HOME",
      "RUSTUP_HOME",
    ],
    ...[
      "XDG_CONFIG_HOME",
      "APPDATA",
      "DOCKER_HOST",
      "DOCKER_CONFIG",
      "CONTAINER_HOST",
      "GCONV_PATH",
      "OPENSSL_CONF",
    ],
    ...["HTTPS_PROXY", "all_proxy", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_FILE"],
    ...[
      "TSX_TSCONFIG_PATH",
      "TS_NODE_PROJECT",
      "COREPACK_NPM_REGISTRY",
      "YARN_RC_FILENAME",
      "PNPM_HOME",
      "VOLTA_HOME",
    ],
    ...["GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "SHELL", "SHELLOPTS", "PS4", "IFS", "R_PROFILE", "ERL_FLAGS"],
  ])("contains %s, which decides which code runs", async (name) => {
    const server = (value: string) => written({ command: "mail", env: { [name]: value } });
    expect(await server("/good")).not.toBe(await server("/evil"));
  });

  it("distinguishes a reference to a secret from the same characters as plain text", async () => {
    const env = { API_TOKEN: "good.js" };
    const server = (word: string) => written({ command: "sh", args: ["-c", word] }, env);
    expect(await server(`\${API_TOKEN}`)).not.toBe(await server(`$\${API_TOKEN}`));
  });

  it("does not depend on the name, on trust, or on limits", async () => {
    const plain = await written({ command: "mail" });
    expect(
      await written({ command: "mail", policy: { "tools/call": "deny" }, limits: { timeout: "9s" } }),
    ).toBe(plain);
    const { identity } = commandLineServer(["mail"], { strict: true, env: { PATH: "/elsewhere" } });
    expect(identity).toBe(plain);
  });
});
