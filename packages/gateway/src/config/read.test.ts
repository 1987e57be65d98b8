// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { RemoteSettings, StdioSettings } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { readSettingsExample } from "./config.examples.js";
import { parseJson } from "./json.js";
import { type ReadOptions, readSettings, readSettingsFile } from "./read.js";

const env = { HOME: "/home/ana", KEY: "k3y", REGION: "" };
const file = "/etc/vitrine/settings.json";
const read = (written: string | Record<string, unknown>, options: ReadOptions = {}) =>
  readSettings(written, { env, file, ...options });
const one = async (server: Record<string, unknown>, options?: ReadOptions) => {
  const { servers } = await read({ mcpServers: { one: server } }, options);
  return servers.get("one");
};
const stdio = async (server: Record<string, unknown>, options?: ReadOptions) =>
  (await one({ command: "x", ...server }, options))?.transport as StdioSettings;
const remote = async (server: Record<string, unknown>, options?: ReadOptions) =>
  (await one({ url: "https://mcp.example.com/", ...server }, options))?.transport as RemoteSettings;

/** A problem: where it is, what is wrong, and what to do. */
const ONE_LINE = /^(\/etc\/vitrine\/settings\.json(:\d+){0,2}|the command line): [^\n]+; [^\n]+$/;

/**
 * The problems of settings that are wrong, without the name of the file, which is in all of them. Each is one line, and says
 * what to do.
 */
async function problems(written: string | Record<string, unknown>, options?: ReadOptions): Promise<string[]> {
  const error = await read(written, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  const { data, message } = error as GatewayError;
  expect(data.code).toBe("config-invalid");
  const found = data["problems"] as string[];
  expect(message).toBe(found.join("\n"));
  for (const problem of found) {
    expect(problem).toMatch(ONE_LINE);
    // Where nobody can look it up.
    expect(problem).not.toContain("s3cret");
  }
  return found.map((problem) => problem.replace(file, "").replace(/^: /, ""));
}
const problemsOf = (server: unknown, options?: ReadOptions) =>
  problems({ mcpServers: { one: server } }, options);

describe("readSettings", () => {
  it("reads the example of the documents, which has every key", async () => {
    const doc = await readFile(new URL("../../../../docs/gateway/config.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n([\s\S]*?)```/.exec(doc) ?? [];
    const secrets = async () => ({
      get: async (key: string) => (key === "settings/OPENAI_KEY" ? "sk-0123" : `value of ${key}`),
    });
    const bobToken = "0123456789abcdefghij";
    const settings = await read(example, {
      env: { HOME: "/home/ana", WEATHER_KEY: "k3y", BOB_TOKEN: bobToken },
      secrets,
    });
    expect([...settings.servers.keys()]).toEqual(["weather", "mail"]);
    expect(settings.servers.get("weather")).toEqual({
      name: "weather",
      identity: expect.stringMatching(/^[0-9a-f]{64}$/),
      transport: {
        type: "stdio",
        command: "npx",
        args: ["-y", "@example/server-weather", "--region=eu"],
        env: { API_KEY: "k3y", HOME: "/tmp" },
        cwd: "/home/ana/weather",
        folder: "/etc/vitrine",
        isolation: {
          driver: "bubblewrap",
          network: true,
          read: ["/home/ana/weather", "/etc/vitrine/maps"],
          write: ["/var/lib/weather"],
          memory: 512e6,
          processes: 64,
          cpuSeconds: 600,
          tmp: 64 * 2 ** 20,
          image: "docker.io/library/node:22",
          engine: "podman",
        },
      },
      start: "eager",
      stateless: true,
      trusted: false,
      policy: { "tools/call": "ask", "tools/call:forecast": "allow" },
      idempotent: ["set-home"],
      relax: ["wasm-unsafe-eval"],
      permissions: { geolocation: "allow", camera: "deny" },
      schemes: ["mcp-app"],
      limits: {
        timeout: 120_000,
        startTimeout: 90_000,
        idle: 3_600_000,
        message: 16e6,
        sizes: { params: { "tools/call": 1e6, "*": 1e5 }, result: 8e6 },
        rates: { call: { burst: 20, perSecond: 5 } },
        concurrency: { perView: 4, total: 32, waiting: 20 },
      },
    });
    expect(settings.servers.get("mail")?.transport).toEqual({
      type: "http",
      url: "https://mail.example.com/mcp",
      headers: { "X-Team": "value of settings/MAIL_TEAM" },
      oauth: true,
      clientId: "vitrine",
      clientSecret: "value of settings/MAIL_CLIENT",
      scope: "read send",
      issuer: "https://login.example.com",
      privateNetwork: true,
    });
    const { servers: _, ...rest } = settings;
    expect(rest).toEqual({
      listen: {
        host: "0.0.0.0",
        port: 8443,
        origin: "https://gateway.example.com",
        allowRemote: true,
        users: [
          { name: "ana", tokenHash: expect.stringMatching(/^9f86d08/) },
          { name: "bob", tokenHash: createHash("sha256").update(bobToken).digest("hex") },
        ],
      },
      sandbox: {
        port: 8444,
        origin: "https://{role}-{label}.apps.example.net",
        publicSuffix: true,
        console: true,
      },
      policy: { "ui/open-link": "ask", "ui/download-file": "deny" },
      strict: true,
      audit: {
        payloads: "arguments",
        redact: expect.arrayContaining(["iban", "password"]),
        retentionDays: 365,
      },
      model: {
        use: "openai/gpt-5.5",
        providers: new Map([
          [
            "openai",
            {
              name: "openai",
              type: "openai",
              url: "https://api.openai.com/v1",
              key: "sk-0123",
              models: ["gpt-5.5", "gpt-5.4-mini"],
            },
          ],
          [
            "local",
            {
              name: "local",
              type: "compatible",
              url: "http://ollama.lan:11434/v1",
              problem: expect.stringContaining("LOCAL_KEY"),
              models: undefined,
            },
          ],
        ]),
        limits: { rounds: 10, tokens: 100_000, time: 300_000, result: 50_000, context: 30_000 },
      },
      database: "postgres://vitrine@db.example.com/vitrine",
      dataFolder: "/var/lib/vitrine",
      session: { grace: 300_000, perUser: 8 },
    });
  });

  it("fills in what is closed and small where nothing is said", async () => {
    const settings = await read({ mcpServers: { one: { command: "x" } } });
    expect(settings).toMatchObject({
      listen: { host: "127.0.0.1", port: 8090, users: [] },
      sandbox: { port: 8091, publicSuffix: false, console: false },
      strict: false,
      audit: { payloads: "retries" },
      database: "sqlite:/home/ana/.local/share/vitrine/gateway.db",
      dataFolder: "/home/ana/.local/share/vitrine",
      session: { grace: 120_000, perUser: 32 },
    });
    expect(settings.servers.get("one")).toMatchObject({
      start: "lazy",
      stateless: false,
      trusted: false,
      policy: {},
      transport: {
        env: {},
        isolation: { driver: "auto", network: false, read: [], write: [], memory: 1e9, processes: 256 },
      },
    });
    expect((await read("{}")).servers.size).toBe(0);
  });

  it.each([
    [
      "Claude Desktop",
      { globalShortcut: "", mcpServers: { s: { command: "npx", args: ["-y", "x"], env: { A: "b" } } } },
    ],
    [
      "Cursor",
      {
        mcpServers: { s: { url: "https://x.example/mcp", headers: { Authorization: "Bearer ${env:KEY}" } } },
      },
    ],
    [
      "VS Code",
      { inputs: [], servers: { s: { type: "stdio", command: "node", args: ["x.js"], env: { PORT: 1 } } } },
    ],
    ["VS Code, remote", { servers: { s: { type: "http", url: "https://x.example/mcp" } } }],
    [
      "Cline",
      {
        mcpServers: {
          s: { type: "streamableHttp", url: "https://x.example", autoApprove: [], disabled: false },
        },
      },
    ],
    ["an older one", { mcpServers: { s: { type: "sse", url: "http://localhost:3000/sse" } } }],
  ])("reads what %s writes", async (_, written) => {
    const { servers } = await read(written);
    expect([...servers.keys()]).toEqual(["s"]);
  });

  it("reads comments and last commas, and nothing in text as one", async () => {
    const { servers } = await read(`\uFEFF{ // comment, "mcpServers": {
      /* more, } */ "mcpServers": { "a": { "command": "x // no", "args": [",}", "/* no */", "\\",]",], }, },
    }`);
    expect(servers.get("a")?.transport).toMatchObject({
      command: "x // no",
      args: [",}", "/* no */", '",]'],
    });
  });

  it.each([
    [
      '{\n  "mcpServers": {\n    "a": s3cret\n  }\n}',
      ':3:10: a value is missing here; write a text in quotes ("…"), a number, true, false, null, [ ] or { }',
    ],
    ['{"mcpServers": {', ":1:17: the text ends too early; close what is open"],
    ['{"a": 1 "b": 2}', ':1:9: a "," is missing here; add it'],
    ['{"a" 1}', ':1:6: a ":" is missing here; add it'],
    ['{"a": "s3cret\\x"}', ":1:7: this text is no JSON; write \\\\ for a backslash, and \\t for a tab"],
    ['{"a": "s3cret', ':1:7: this text does not end in its line; close it with "'],
    ['{"s3cret\n": 1}', ':1:2: this text does not end in its line; close it with "'],
    ["{} {}", ":1:4: this comes after the end; take it out"],
    ["{,}", ':1:2: a key is missing here; write it in quotes ("…")'],
    ['{"a": 1,, }', ':1:9: a key is missing here; write it in quotes ("…")'],
    ["{'a': 1}", ':1:2: a key is missing here; write it in quotes ("…")'],
    [`${"[".repeat(1000)}`, ":1:102: this is nested more than 100 deep; make it flatter"],
    ['{"mcpServers": {"a": {}, // one\n "a": {}}}', ':2:2: the key "a" is there twice; take one of them out'],
    [" \n// nothing", ":1:1: there is nothing in it; write at least {}"],
    ["[]", "must be an object; put all settings in { }"],
  ])("says where %j is wrong and what to do, and repeats nothing of it", async (text, problem) => {
    expect(await problems(text)).toEqual([problem]);
    await expect(readSettings(text)).rejects.toThrow(/^(line \d+, column \d+: |must be an object)/);
  });

  /** Every sentence that a setting can get, but for those of the text above. */
  it.each<[string, unknown, string]>([
    ["text", { dataFolder: 5 }, "dataFolder: must be text; put it in quotes"],
    ["empty text", { dataFolder: " " }, "dataFolder: is empty; fill it in, or take it out"],
    ["NUL", { dataFolder: "\0" }, "dataFolder: has a NUL character in it; take that out"],
    ["a flag", { strict: "yes" }, "strict: must be a yes or no; write true or false, without quotes"],
    [
      "a port",
      { listen: { port: "80" } },
      "listen.port: must be a whole number; write one from 0 to 65535, without quotes",
    ],
    [
      "a count",
      { session: { perUser: 0 } },
      "session.perUser: must be a whole number; write one that is 1 or more, without quotes",
    ],
    [
      "a number",
      { audit: { retentionDays: -1 } },
      "audit.retentionDays: must be a number; write one above 0, without quotes",
    ],
    [
      "a size",
      { isolation: { memory: "lots" } },
      'isolation.memory: must be a size; write it like "512MB" or "1GiB", or as a number of bytes',
    ],
    [
      "a time",
      { session: { grace: "soon" } },
      'session.grace: must be a time; write it like "30s" or "5m", or as a number of milliseconds',
    ],
    [
      "a word",
      { audit: { payloads: "some" } },
      'audit.payloads: this value is not known; write one of "none", "retries", "arguments", "all"',
    ],
    [
      "a word that is like another",
      { audit: { payloads: "argument" } },
      'audit.payloads: this value is not known; write one of "none", "retries", "arguments", "all"; did you mean "arguments"?',
    ],
    ["a list", { audit: { redact: "iban" } }, "audit.redact: must be a list; put it in [ ]"],
    ["an object", { session: "long" }, "session: must be an object; put its keys in { }"],
    ["a record", { policy: [] }, "policy: must be an object; put its keys in { }"],
    ["a strange key", { coworkFiles: 1 }, "coworkFiles: there is no such setting; take it out"],
    ["a typing mistake", { listn: {} }, 'listn: there is no such setting; did you mean "listen"?'],
    ["servers", { mcpServers: [] }, 'mcpServers: must be an object; write { "name": { "command": … } }'],
    [
      "an origin",
      { listen: { origin: "http://x.example" } },
      "listen.origin: must be an origin; write it like",
    ],
    ["a pattern", { sandbox: { origin: "https://x" } }, "sandbox.origin: must be a pattern; write it like"],
    ["a database", { database: "mysql://x" }, "database: names no database; write"],
    ["a method", { policy: { x: "ask" } }, "policy.x: there is no such method; write one such as"],
    ["a user's name", { users: [{ token: "${KEY}" }] }, 'users[0]: has no name; add "name"'],
    [
      "a user's token",
      { users: [{ name: "a", token: "short" }] },
      "users[0].token: can be guessed; take 20 random characters or more",
    ],
    [
      "two tokens",
      { users: [{ name: "a", token: "x".repeat(20), tokenHash: "x" }] },
      "users[0]: has a token and a tokenHash; take one of them out",
    ],
  ])("one sentence, with what to do: %s", async (_what, written, sentence) => {
    const found = await problems(JSON.stringify(written));
    expect(found).toEqual([expect.stringContaining(sentence)]);
    expect(found[0]).toMatch(/^:1: /);
  });

  it.each<[string, unknown, string]>([
    ["no object", "npx", ': must be an object; write { "command": … } or { "url": … }'],
    ["nothing", {}, ": has no command and no url; add one of them"],
    ["a typing mistake", { comand: "x" }, ': has no command and no url; did you mean "command"?'],
    ["both", { command: "x", url: "https://x" }, ": has a command and a url; take one of them out"],
    [
      "a program's key",
      { url: "https://x.example", args: [] },
      ".args: is only for a server with a command, and this one has a url; take it out",
    ],
    [
      "an address's key",
      { command: "x", headers: {} },
      ".headers: is only for a server with a url, and this one has a command; take it out",
    ],
    [
      "a rate",
      { command: "x", limits: { rates: { call: { burst: 1 } } } },
      "needs both burst and perSecond; add what is missing",
    ],
    [
      "a permission",
      { command: "x", permissions: { cammera: "deny" } },
      '.permissions.cammera: there is no such setting; write one of "camera", "microphone"',
    ],
    ["a relaxation", { command: "x", relax: ["eval"] }, ".relax[0]: this value is not known; write one of"],
    [
      "a scheme",
      { command: "x", schemes: ["UI://"] },
      '.schemes[0]: must be a scheme; write it like "mcp-app"',
    ],
    ["a type", { command: "x", type: "http" }, '.type: this value is not known; write "stdio"'],
    ["a variable's name", { command: "x", env: { "1": "x" } }, ".env.1: names no variable; use letters"],
    [
      "a variable",
      { command: "${NOT_SET}" },
      ".command: the environment variable NOT_SET is not set; set it, or write ${NOT_SET:-default}",
    ],
    [
      "an odd variable",
      { command: "${a b}" },
      ".command: ${a b} names no variable; write ${NAME}, or $${ for a plain ${",
    ],
    [
      "a secret's name",
      { command: "${secret:a b}" },
      ".command: ${secret:a b} names no secret; use 1 to 64 letters",
    ],
    [
      "a secret",
      { command: "${secret:X}" },
      ".command: there is no secret X; keep it with vitrine secret set X, or take ${secret:X} out",
    ],
    [
      "an input",
      { command: "${input:x}" },
      ".command: ${input:x} is not known; write ${env:NAME} or ${secret:NAME}, or $${ for a plain ${",
    ],
    ["a reference of two lines", { command: `\${a\n${"b".repeat(200)}}` }, ".command: ${a\\nbbb"],
    [
      "an image",
      { command: "x", isolation: "container" },
      ".isolation.image: a container needs an image; write its name",
    ],
    [
      "a header's name",
      { url: "https://x.example", headers: { "a b": "c" } },
      '.headers["a b"]: names no header; use letters, digits and "-"',
    ],
    [
      "a header",
      { url: "https://x.example", headers: { a: "b\nc" } },
      ".headers.a: cannot stand in a header; write one line",
    ],
    [
      "two ways in",
      { url: "https://x.example", headers: { authorization: "x" }, oauth: {} },
      ".oauth: there is an Authorization header already; take one of them out",
    ],
    [
      "a shared sign-in",
      { url: "https://x.example", stateless: true, oauth: true },
      ".oauth: a stateless server is shared, and all users would be the one who signs in; take oauth or stateless out",
    ],
    [
      "half a client",
      { url: "https://x.example", oauth: { clientSecret: "x" } },
      ".oauth.clientSecret: needs a clientId; add it",
    ],
    ["no URL", { url: "//x" }, ".url: is no URL; write it like https://example.com/mcp"],
    [
      "another scheme",
      { url: "ftp://x" },
      ".url: is no address of the web; begin it with https:// or http://",
    ],
    [
      "a password",
      { url: "https://a:s3cret@x.example" },
      ".url: has a name or password in it; use headers for that",
    ],
    ["a hash", { url: "https://x.example/#a" }, ".url: has a # in it; take out that, and what follows it"],
    [
      "plain http",
      { url: "http://x.example" },
      '.url: must be https, or an address of this machine; write https://, or allow plain http with "privateNetwork": true',
    ],
  ])("one sentence for a server, with what to do: %s", async (_what, server, sentence) => {
    const found = await problems(`{"mcpServers":\n{"one": ${JSON.stringify(server)}}}`);
    expect(found).toEqual([expect.stringContaining(sentence)]);
    // What is not there is where that is which should have it.
    expect(found[0]).toMatch(/^:2: mcpServers\.one/);
  });

  it("says in which line a setting is wrong", async () => {
    const text = `{
      "mcpServers": {
        "a": { "command": "x" }, // one
        "b": {
          "comand": "x"
        },
        "c": { "command": "x", "args": ["1", 2] }
      }
    }`;
    expect(await problems(text)).toEqual([
      ':4: mcpServers.b: has no command and no url; did you mean "command"?',
      ":7: mcpServers.c.args[1]: must be text; put it in quotes",
    ]);
    await expect(readSettings(text)).rejects.toThrow(/^line 4: mcpServers\.b/);
  });

  it("goes on without the servers that are wrong, if it is told to, and says which", async () => {
    const skipped: unknown[] = [];
    const text = `{
      "coworkFiles": "/x",
      "mcpServers": {
        "good": { "command": "x", "theirKey": 1 },
        "typo": { "command": "x", "isolatoin": "process" },
        "env": { "command": "x", "env": { "KEY": "\${NOT_SET}" } },
        "two": { "command": "x" },
        "two": { "command": "y" },
        "Good": { "command": "x" }
      }
    }`;
    const { servers } = await readSettings(text, {
      env: { HOME: "/home/ana" },
      onskip: (each) => skipped.push(each),
    });
    expect([...servers.keys()]).toEqual(["good"]);
    expect(skipped).toEqual([
      {
        problem:
          "line 2: coworkFiles: there is no such setting, and it is ignored; take it out, unless others need it",
      },
      {
        problem:
          "line 4: mcpServers.good.theirKey: there is no such setting, and it is ignored; take it out, unless others need it",
      },
      {
        server: "typo",
        problem: 'line 5: mcpServers.typo.isolatoin: there is no such setting; did you mean "isolation"?',
      },
      {
        server: "env",
        problem:
          "line 6: mcpServers.env.env.KEY: the environment variable NOT_SET is not set; set it, or write ${NOT_SET:-default}",
      },
      {
        server: "two",
        problem: "line 8: mcpServers.two: this name is there twice; rename one of them",
      },
      {
        server: "Good",
        problem: 'line 9: mcpServers.Good: differs only in case from "good"; rename one of them',
      },
    ]);
    await expect(readSettings('{"listn": {}}', { onskip: () => {} })).rejects.toThrow(
      'did you mean "listen"',
    );
    await expect(readSettings('{"policy": {}, "policy": {}}', { onskip: () => {} })).rejects.toThrow("twice");
  });

  it("takes no key twice inside a server, even where servers may be left out", async () => {
    for (const inside of [
      '"command": "x", "command": "y"',
      '"command": "x", "env": {"A": "1", "A": "2"}',
      '"command": "x", "policy": {}, "policy": {}',
    ])
      await expect(readSettings(`{"mcpServers": {"a": {${inside}}}}`, { onskip: () => {} })).rejects.toThrow(
        "is there twice",
      );
    const skipped: unknown[] = [];
    const dotted = '{"servers": {"a.b": {"command": "x"}, "a.b": {"command": "y"}, "a b": {}, "a b": {}}}';
    await readSettings(dotted, { env: { HOME: "/home/ana" }, onskip: ({ server }) => skipped.push(server) });
    expect(skipped).toEqual(["a.b", "a b"]);
  });

  it("keeps programs as it is told where nobody says how, and as the file says where it does", async () => {
    const mcpServers = { a: { command: "x" }, b: { command: "x", isolation: { network: true } } };
    const options = { env: { HOME: "/home/ana" }, isolation: { driver: "process" } as const };
    const drivers = async (written: Record<string, unknown>) =>
      [...(await readSettings(written, options)).servers.values()].map(
        ({ transport }) => transport.type === "stdio" && transport.isolation.driver,
      );
    expect(await drivers({ mcpServers })).toEqual(["process", "auto"]);
    expect(await drivers({ mcpServers, isolation: { network: true } })).toEqual(["auto", "auto"]);
  });

  it("reads JSON as everybody does", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
        const plain = JSON.stringify(JSON.parse(text), null, indent);
        expect(JSON.stringify(parseJson(plain))).toBe(JSON.stringify(JSON.parse(plain)));
      }),
    );
    for (const number of ["01", "1.", ".5", "+1", "NaN", "-", "1e", "truee", "tru"])
      expect(() => parseJson(`[${number}]`)).toThrow(SyntaxError);
  });

  it("lists every problem with its place", async () => {
    const found = await problems({
      mcpServers: {
        weather: { command: "x", isolation: { memory: "lots", netwrok: true }, polcy: {} },
        nothing: {},
      },
      listn: {},
    });
    expect(found).toEqual([
      expect.stringMatching(/^listn: /),
      expect.stringMatching(/^mcpServers\.weather\.isolation\.memory: /),
      expect.stringMatching(/^mcpServers\.weather\.isolation\.netwrok: .*did you mean "network"/),
      expect.stringMatching(/^mcpServers\.weather\.polcy: .*did you mean "policy"/),
      expect.stringMatching(/^mcpServers\.nothing: /),
    ]);
  });

  it("a rule with a typing mistake is a problem, not an open door", async () => {
    expect(await problemsOf({ command: "x", policy: { "tool/call:delete": "deny" } })).toEqual([
      'mcpServers.one.policy["tool/call:delete"]: there is no such method; did you mean "tools/call"?',
    ]);
    expect(await problems({ policy: { "ui/open-link": "dney" } })).toEqual([
      expect.stringMatching(/^policy\["ui\/open-link"\]: this value .*did you mean "deny"\?$/),
    ]);
  });

  it("resolves references, once", async () => {
    const options = { env: { ...env, TRICK: "${KEY} ${secret:X}" } };
    expect(
      await stdio(
        { args: ["${KEY}", "${env:KEY}!", "${NO:-a:-b}", "${env:NO:-}", "${REGION:-eu}"] },
        options,
      ),
    ).toMatchObject({
      // A variable that is empty is set.
      args: ["k3y", "k3y!", "a:-b", "", ""],
    });
    expect(await stdio({ args: ["$${KEY}", "$KEY", "${TRICK}", "{KEY}"] }, options)).toMatchObject({
      args: ["${KEY}", "$KEY", "${KEY} ${secret:X}", "{KEY}"],
    });
    expect(await remote({ url: "https://${KEY}.example.com/a" })).toMatchObject({
      url: "https://k3y.example.com/a",
    });
  });

  it("opens the store of secrets only for a reference, in the data folder, and says if it cannot", async () => {
    const open = vi.fn(async () => ({ get: async () => "s3cret" }));
    await stdio({ env: { A: "$${secret:X}" } }, { secrets: open });
    expect(open).not.toHaveBeenCalled();
    expect(await stdio({ env: { A: "a-${secret:X}" } }, { secrets: open })).toMatchObject({
      env: { A: "a-s3cret" },
    });
    expect(open).toHaveBeenCalledWith("/home/ana/.local/share/vitrine");
    const locked = () => Promise.reject(new Error("the keyring is locked"));
    const found = await problemsOf({ command: "${secret:X}" }, { secrets: locked });
    expect(found[0]).toMatch(/^secrets cannot be read: the keyring is locked; mend that, or take /);
  });

  it("passes nothing on of its own environment", async () => {
    vi.stubEnv("VITRINE_TEST_SECRET", "s3cret");
    const settings = await readSettings({ mcpServers: { one: { command: "x", env: { A: "b" } } } });
    expect(JSON.stringify([...settings.servers])).not.toContain("s3cret");
    vi.unstubAllEnvs();
  });

  it("never repeats a value in a problem", async () => {
    const found = await problems(
      {
        mcpServers: {
          a: { url: "${S}", headers: { A: "${S}\n" } },
          b: { command: "x", env: { "${S}": "x" }, isolation: { read: "${S}" } },
        },
        database: "${S}",
        users: [{ name: "ana", token: "${S}" }],
        listen: { origin: "${S}" },
      },
      { env: { ...env, S: "s3cret" } },
    );
    expect(found.length).toBeGreaterThan(5);
    expect(found.join("\n")).not.toContain("s3cret");
  });

  it("names are exact", async () => {
    const bad = ["", ".", "..", "a/b", "a b", " a", "ä", "а", "a\u200b", "a\n", "x".repeat(65), "a%2e"];
    for (const name of bad) {
      expect(await problems({ mcpServers: { [name]: { command: "x" } } })).toEqual([
        expect.stringContaining("is no name; use 1 to 64 letters"),
      ]);
    }
    expect(await problems({ mcpServers: { Mail: { command: "x" }, mail: { command: "y" } } })).toEqual([
      'mcpServers.mail: differs only in case from "Mail"; rename one of them',
    ]);
    expect(
      await problems({ mcpServers: { mail: { command: "x" } }, servers: { mail: { command: "y" } } }),
    ).toEqual(["mcpServers.mail: this name is there twice; rename one of them"]);
    const { servers } = await read(
      '{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}',
    );
    expect([...servers.keys()]).toEqual(["__proto__", "constructor"]);
  });

  it("another address than loopback needs a flag and a credential", async () => {
    const users = [{ name: "ana", tokenHash: "0".repeat(64) }];
    for (const host of [
      "0.0.0.0",
      "::",
      "192.168.1.2",
      "gateway.example.com",
      "localhost.example.com",
      "127.1.evil",
    ]) {
      const flag = /^listen\.host: .*"allowRemote": true/;
      const credential = /^listen\.host: .*add users/;
      expect(await problems({ listen: { host } })).toEqual([
        expect.stringMatching(flag),
        expect.stringMatching(credential),
      ]);
      expect(await problems({ listen: { host }, users })).toEqual([expect.stringMatching(flag)]);
      expect(await problems({ listen: { host, allowRemote: true } })).toEqual([
        expect.stringMatching(credential),
      ]);
      expect(await read({ listen: { host, allowRemote: true }, users })).toMatchObject({
        listen: { host, users },
      });
    }
    for (const host of ["localhost", "127.0.0.1", "127.8.9.1", "::1"])
      expect(await read({ listen: { host } })).toMatchObject({ listen: { host } });
  });

  it("checks users", async () => {
    const found = await problems({
      users: [
        { name: "ana" },
        { name: "ana", tokenHash: "abc" },
        { name: "b/c", tokenHash: "0".repeat(64) },
        { name: "d", token: "short" },
        { tokenHash: "0".repeat(64) },
        "eve",
      ],
    });
    expect(found).toEqual([
      "users[0]: has no token and no tokenHash; add one of them",
      'users[1].tokenHash: must be 64 digits from 0 to f; make it with printf %s "$TOKEN" | sha256sum',
      expect.stringMatching(/^users\[2\]\.name: is no name; /),
      "users[3].token: can be guessed; take 20 random characters or more",
      'users[4]: has no name; add "name"',
      "users[5]: must be an object; put its keys in { }",
    ]);
    const twice = { name: "ana", tokenHash: "0".repeat(64) };
    expect(await problems({ users: [twice, { ...twice, name: "Ana" }] })).toEqual([
      'users.Ana: differs only in case from "ana"; rename one of them',
    ]);
  });

  it("checks addresses of servers", async () => {
    expect(await remote({ url: "http://127.0.0.1:3000/mcp" })).toMatchObject({ privateNetwork: true });
    expect(await remote({ url: "https://10.0.0.1/mcp" })).toMatchObject({ privateNetwork: true });
    expect(await remote({})).toMatchObject({ privateNetwork: false, type: "http", oauth: true });
    expect(await remote({ url: "http://intranet/mcp", privateNetwork: true })).toMatchObject({
      privateNetwork: true,
    });
    const bad = [
      "http://example.com",
      "http://localhost.example.com",
      "javascript:alert(1)",
      "//x",
      "https://a:b@x.example",
      "https://x.example/#a",
    ];
    for (const url of bad)
      expect(await problemsOf({ url })).toEqual([expect.stringMatching(/^mcpServers\.one\.url: /)]);
  });

  it("decides who signs in", async () => {
    expect(await remote({ oauth: false })).toMatchObject({ oauth: false });
    expect(await remote({ headers: { authorization: "Bearer ${KEY}" } })).toMatchObject({ oauth: false });
    expect(await remote({ stateless: true })).toMatchObject({ oauth: false });
    expect(await remote({ oauth: { clientId: "a" } })).toMatchObject({ oauth: true, clientId: "a" });
  });

  it("isolation is a name, an object, and what is said for all servers; a container needs an image", async () => {
    expect(await stdio({ isolation: "process" })).toMatchObject({
      isolation: { driver: "process", network: false },
    });
    const { servers } = await read({
      isolation: { driver: "bubblewrap", memory: "2GiB" },
      mcpServers: {
        a: { command: "x", isolation: { network: true } },
        b: { command: "x", isolation: "process" },
      },
    });
    expect(servers.get("a")?.transport).toMatchObject({
      isolation: { driver: "bubblewrap", memory: 2 ** 31, network: true },
    });
    expect(servers.get("b")?.transport).toMatchObject({ isolation: { driver: "process", memory: 2 ** 31 } });
    expect(await problemsOf({ command: "x", isolation: "bubblewarp" })).toEqual([
      expect.stringMatching(/did you mean "bubblewrap"/),
    ]);
  });

  it("paths begin at the file, a command's name does not", async () => {
    expect(await stdio({ command: "./bin/server", cwd: "work" })).toMatchObject({
      command: "/etc/vitrine/bin/server",
      cwd: "/etc/vitrine/work",
    });
    expect(await stdio({ command: "~/bin/server" })).toMatchObject({ command: "/home/ana/bin/server" });
    expect(await stdio({ command: "node" })).toMatchObject({ command: "node" });
    expect(await problemsOf({ command: "x", cwd: "~/a" }, { env: {} })).toEqual([
      "dataFolder: nobody's home is known; set HOME, or write which folder",
      "mcpServers.one.cwd: nobody's home is known; set HOME, or write the whole path",
    ]);
    expect(await read({ database: "sqlite:audit.db" })).toMatchObject({
      database: "sqlite:/etc/vitrine/audit.db",
    });
    expect((await read({ database: "sqlite::memory:" })).database).toBe("sqlite::memory:");
  });

  it("a disabled server needs nothing", async () => {
    const { servers } = await read({ mcpServers: { a: { command: "${MISSING}", odd: 1, disabled: true } } });
    expect(servers.size).toBe(0);
  });

  it("the command line comes first, defaults come last, key by key", async () => {
    const settings = await read(
      { listen: { port: 2, origin: "https://x.example" }, strict: false },
      {
        defaults: { listen: { port: 1, host: "::1" }, strict: false },
        overrides: { listen: { port: 3 }, strict: true },
      },
    );
    expect(settings).toMatchObject({
      strict: true,
      listen: { host: "::1", port: 3, origin: "https://x.example" },
    });
    expect(await problems({}, { overrides: { listen: { port: 70_000 }, database: "x" } })).toEqual([
      "the command line: listen.port: must be a whole number; write one from 0 to 65535, without quotes",
      expect.stringMatching(/^the command line: database: /),
    ]);
    expect(
      await problems({ listen: { allowRemote: true, host: "0.0.0.0" } }, { overrides: { users: undefined } }),
    ).toHaveLength(1);
  });

  it("a file that cannot be read is a problem", async () => {
    await expect(readSettingsFile("/nowhere/x.json")).rejects.toThrow(
      "/nowhere/x.json: there is no such file; write one, or name another",
    );
    await expect(readSettingsFile(resolve("/"))).rejects.toThrow("/: is a folder; name a file in it");
    await expect(readSettingsFile("/dev/null/x")).rejects.toThrow("/dev/null/x: cannot be read (ENOTDIR); ");
  });

  it("whatever is in the file, it gives settings or says what is wrong", async () => {
    const keys = [
      "mcpServers",
      "servers",
      "listen",
      "users",
      "isolation",
      "policy",
      "limits",
      "command",
      "url",
      "env",
      "args",
      "oauth",
      "a",
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(
          null,
          true,
          0,
          -1,
          1e99,
          "",
          "x",
          "${KEY}",
          "${",
          "512MB",
          "auto",
          "https://x.example",
        ),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...keys, "__proto__"), fc.string()), tie("value"), {
          maxKeys: 4,
        }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), value), async (written) => {
        const text = JSON.stringify(written);
        const outcome = await read(text).catch((error: unknown) => error);
        if (outcome instanceof GatewayError) {
          expect(outcome.data.code).toBe("config-invalid");
          for (const line of outcome.message.split("\n")) expect(line).toMatch(ONE_LINE);
        } else expect(outcome).toHaveProperty("servers");
      }),
      { numRuns: 500 },
    );
  });

  it("the example works", async () => {
    const settings = await readSettingsExample();
    expect(settings.listen.port).toBe(9000);
    expect(settings.servers.get("weather")?.transport).toMatchObject({ env: { API_KEY: "s3cret" } });
  });
});
