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

/** A problem: its location, the problem, and the fix. */
const ONE_LINE = /^(\/etc\/vitrine\/settings\.json(:\d+){0,2}|the command line): [^\n]+; [^\n]+$/;

/**
 * The problems of invalid settings, without the name of the file, which all of them contain. Each is one line
 * with a fix.
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
    // A secret must not appear.
    expect(problem).not.toContain("s3cret");
  }
  return found.map((problem) => problem.replace(file, "").replace(/^: /, ""));
}
const problemsOf = (server: unknown, options?: ReadOptions) =>
  problems({ mcpServers: { one: server } }, options);

describe("readSettings", () => {
  it.each([
    ["https://sandbox.example.com", true],
    ["https://sandbox.example.com:8443", true],
    ["https://sandbox.example.com/", false],
    ["https://*.example.com", false],
    ["https://{label}.example.com", false],
    ["sandbox.example.com", false],
  ])("one host for all apps: %s", async (origin, isOne) => {
    if (isOne) expect((await read({ sandbox: { origin } })).sandbox.origin).toBe(origin);
    else await expect(read({ sandbox: { origin } })).rejects.toThrow("must be a pattern, or one host");
  });

  it("reads the documented example, which has every key", async () => {
    const doc = await readFile(new URL("../../../../docs/gateway/config.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n([\s\S]*?)```/.exec(doc) ?? [];
    const secrets = async () => ({
      get: async (key: string) => (key === "settings/OPENAI_KEY" ? "sk-0123" : `value of ${key}`),
    });
    const bobToken = "0123456789abcdefghij";
    const settings = await read(example, {
      env: { HOME: "/home/ana", WEATHER_KEY: "k3y", BOB_TOKEN: bobToken, NODES_SECRET: bobToken.repeat(2) },
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
      admins: ["ana"],
      sandbox: {
        host: "127.0.0.1",
        port: 8444,
        origin: "https://{role}-{label}.apps.example.net",
        publicSuffix: true,
        console: true,
      },
      drain: { time: 60_000, delay: 5000 },
      log: { level: "warn", access: true },
      metrics: { tokenHash: expect.stringMatching(/^60303ae2/) },
      policy: { "ui/open-link": "ask", "ui/download-file": "deny" },
      strict: true,
      audit: {
        payloads: "arguments",
        redact: expect.arrayContaining(["iban", "password"]),
        retentionDays: 365,
        archive: "/var/backups/vitrine",
      },
      conversations: { retentionDays: 730 },
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
              keyFrom: "store",
              secret: "OPENAI_KEY",
              models: ["gpt-5.5", "gpt-5.4-mini"],
              isWritten: true,
            },
          ],
          [
            "local",
            {
              name: "local",
              type: "compatible",
              url: "http://ollama.lan:11434/v1",
              privateNetwork: true,
              problem: expect.stringContaining("LOCAL_KEY"),
              keyFrom: "environment",
              models: undefined,
              isWritten: true,
            },
          ],
        ]),
        limits: { rounds: 10, tokens: 100_000, time: 300_000, result: 50_000, context: 30_000 },
        system: "Answer in French.",
        temperature: 0.3,
        titles: false,
      },
      database: "postgres://vitrine@db.example.com/vitrine",
      dataFolder: "/var/lib/vitrine",
      session: { grace: 300_000, perUser: 8, total: 20_000 },
      nodes: { host: "0.0.0.0", port: 8092, address: "10.0.0.5:8092", secret: bobToken.repeat(2) },
      limits: { processes: 200, processesPerUser: 20, memory: 16e9, memoryPerUser: 4e9 },
    });
  });

  it("keeps the audit log forever only if that is written", async () => {
    const settings = await read({ audit: { retentionDays: "forever", archive: "~/archive" } });
    expect(settings.audit).toMatchObject({ retentionDays: undefined, archive: "/home/ana/archive" });
    const other = await read({ conversations: { retentionDays: 30 } });
    expect(other).toMatchObject({ audit: { retentionDays: 400 }, conversations: { retentionDays: 30 } });
  });

  it("has strict and small defaults", async () => {
    const settings = await read({ mcpServers: { one: { command: "x" } } });
    expect(settings).toMatchObject({
      listen: { host: "127.0.0.1", port: 8090, users: [] },
      admins: [],
      drain: { time: 5000, delay: 0 },
      log: { level: "info", access: false },
      metrics: {},
      sandbox: { port: 8091, publicSuffix: false, console: false },
      strict: false,
      audit: { payloads: "retries", retentionDays: 400, archive: undefined },
      conversations: { retentionDays: undefined },
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
    ["an older program", { mcpServers: { s: { type: "sse", url: "http://localhost:3000/sse" } } }],
  ])("reads the format of %s", async (_, written) => {
    const { servers } = await read(written);
    expect([...servers.keys()]).toEqual(["s"]);
  });

  it("accepts comments and trailing commas, but not inside strings", async () => {
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
    ['{"mcpServers": {', ":1:17: the text ends too early; close all brackets and quotes"],
    ['{"a": 1 "b": 2}', ':1:9: a "," is missing here; add it'],
    ['{"a" 1}', ':1:6: a ":" is missing here; add it'],
    [
      '{"a": "s3cret\\x"}',
      ":1:7: this string is not valid JSON; write \\\\ for a backslash, and \\t for a tab",
    ],
    ['{"a": "s3cret', ':1:7: this string does not end in its line; close it with "'],
    ['{"s3cret\n": 1}', ':1:2: this string does not end in its line; close it with "'],
    ["{} {}", ":1:4: this follows the end of the text; remove it"],
    ["{,}", ':1:2: a key is missing here; write it in quotes ("…")'],
    ['{"a": 1,, }', ':1:9: a key is missing here; write it in quotes ("…")'],
    ["{'a': 1}", ':1:2: a key is missing here; write it in quotes ("…")'],
    [`${"[".repeat(1000)}`, ":1:102: this is nested more than 100 levels deep; flatten it"],
    ['{"mcpServers": {"a": {}, // one\n "a": {}}}', ':2:2: the key "a" is duplicated; remove one of them'],
    [" \n// nothing", ":1:1: the text is empty; write at least {}"],
    ["[]", "must be an object; write all settings in { }"],
  ])("reports where %j is wrong and how to fix it, without quoting it", async (text, problem) => {
    expect(await problems(text)).toEqual([problem]);
    await expect(readSettings(text)).rejects.toThrow(/^(line \d+, column \d+: |must be an object)/);
  });

  /** Every message about a setting, except those about the syntax above. */
  it.each<[string, unknown, string]>([
    ["text", { dataFolder: 5 }, "dataFolder: must be text; put it in quotes"],
    ["empty text", { dataFolder: " " }, "dataFolder: is empty; fill it in, or remove it"],
    ["NUL", { dataFolder: "\0" }, "dataFolder: contains a NUL character; remove it"],
    ["a flag", { strict: "yes" }, "strict: must be a boolean; write true or false, without quotes"],
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
      "a number of days",
      { conversations: { retentionDays: "for ever" } },
      'conversations.retentionDays: must be a number of days; write one above 0, without quotes, or "forever"',
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
      'audit.payloads: unknown value; write one of "none", "retries", "arguments", "all"',
    ],
    [
      "a word that is like another",
      { audit: { payloads: "argument" } },
      'audit.payloads: unknown value; write one of "none", "retries", "arguments", "all"; did you mean "arguments"?',
    ],
    ["a list", { audit: { redact: "iban" } }, "audit.redact: must be a list; put it in [ ]"],
    ["an object", { session: "long" }, "session: must be an object; put its keys in { }"],
    ["a record", { policy: [] }, "policy: must be an object; put its keys in { }"],
    ["an unknown key", { coworkFiles: 1 }, "coworkFiles: unknown setting; remove it"],
    ["a typo", { listn: {} }, 'listn: unknown setting; did you mean "listen"?'],
    ["servers", { mcpServers: [] }, 'mcpServers: must be an object; write { "name": { "command": … } }'],
    [
      "an origin",
      { listen: { origin: "http://x.example" } },
      "listen.origin: must be an origin; write it like",
    ],
    [
      "a pattern",
      { sandbox: { origin: "https://x.example/path" } },
      "sandbox.origin: must be a pattern, or one host; write it like",
    ],
    ["a database", { database: "mysql://x" }, "database: names no database; write"],
    ["a method", { policy: { x: "ask" } }, "policy.x: unknown method; write one such as"],
    ["a user's name", { users: [{ token: "${KEY}" }] }, 'users[0]: has no name; add "name"'],
    [
      "a user's token",
      { users: [{ name: "a", token: "short" }] },
      "users[0].token: is too easy to guess; use at least 20 random characters",
    ],
    [
      "two tokens",
      { users: [{ name: "a", token: "x".repeat(20), tokenHash: "x" }] },
      "users[0]: has a token and a tokenHash; remove one of them",
    ],
  ])("one sentence with a fix: %s", async (_what, written, sentence) => {
    const found = await problems(JSON.stringify(written));
    expect(found).toEqual([expect.stringContaining(sentence)]);
    expect(found[0]).toMatch(/^:1: /);
  });

  it.each<[string, unknown, string]>([
    ["not an object", "npx", ': must be an object; write { "command": … } or { "url": … }'],
    ["nothing", {}, ": has no command and no url; add one of them"],
    ["a typo", { comand: "x" }, ': has no command and no url; did you mean "command"?'],
    ["both", { command: "x", url: "https://x" }, ": has a command and a url; remove one of them"],
    [
      "a program's key",
      { url: "https://x.example", args: [] },
      ".args: is only for a server with a command, and this one has a url; remove it",
    ],
    [
      "an address's key",
      { command: "x", headers: {} },
      ".headers: is only for a server with a url, and this one has a command; remove it",
    ],
    [
      "a rate",
      { command: "x", limits: { rates: { call: { burst: 1 } } } },
      "needs both burst and perSecond; add what is missing",
    ],
    [
      "a permission",
      { command: "x", permissions: { cammera: "deny" } },
      '.permissions.cammera: unknown setting; write one of "camera", "microphone"',
    ],
    ["a relaxation", { command: "x", relax: ["eval"] }, ".relax[0]: unknown value; write one of"],
    [
      "a scheme",
      { command: "x", schemes: ["UI://"] },
      '.schemes[0]: must be a scheme; write it like "mcp-app"',
    ],
    ["a type", { command: "x", type: "http" }, '.type: unknown value; write "stdio"'],
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
      ".command: there is no secret X; store it with vitrine secret set X, or remove ${secret:X}",
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
      ".headers.a: is not valid in a header; write one line",
    ],
    [
      "two credentials",
      { url: "https://x.example", headers: { authorization: "x" }, oauth: {} },
      ".oauth: there is an Authorization header already; remove one of them",
    ],
    [
      "a shared sign-in",
      { url: "https://x.example", stateless: true, oauth: true },
      ".oauth: a stateless server is shared, so all users would act as the one who signs in; remove oauth or stateless",
    ],
    [
      "an incomplete client",
      { url: "https://x.example", oauth: { clientSecret: "x" } },
      ".oauth.clientSecret: needs a clientId; add it",
    ],
    ["an invalid URL", { url: "//x" }, ".url: is not a URL; write it like https://example.com/mcp"],
    ["another scheme", { url: "ftp://x" }, ".url: is not a web address; begin it with https:// or http://"],
    [
      "a password",
      { url: "https://a:s3cret@x.example" },
      ".url: contains a user name or password; use headers for that",
    ],
    ["a hash", { url: "https://x.example/#a" }, ".url: contains #; remove it and everything after it"],
    [
      "plain http",
      { url: "http://x.example" },
      '.url: must be https, or an address of this machine; write https://, or allow plain http with "privateNetwork": true',
    ],
  ])("one sentence with a fix for a server: %s", async (_what, server, sentence) => {
    const found = await problems(`{"mcpServers":\n{"one": ${JSON.stringify(server)}}}`);
    expect(found).toEqual([expect.stringContaining(sentence)]);
    // A missing setting is located at its parent.
    expect(found[0]).toMatch(/^:2: mcpServers\.one/);
  });

  it("reports the line of a wrong setting", async () => {
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

  it("skips wrong servers on request, and reports them", async () => {
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
        problem: "line 2: coworkFiles: unknown setting, ignored; remove it, unless another program needs it",
      },
      {
        problem:
          "line 4: mcpServers.good.theirKey: unknown setting, ignored; remove it, unless another program needs it",
      },
      {
        server: "typo",
        problem: 'line 5: mcpServers.typo.isolatoin: unknown setting; did you mean "isolation"?',
      },
      {
        server: "env",
        problem:
          "line 6: mcpServers.env.env.KEY: the environment variable NOT_SET is not set; set it, or write ${NOT_SET:-default}",
      },
      {
        server: "two",
        problem: "line 8: mcpServers.two: this name is used twice; rename one of them",
      },
      {
        server: "Good",
        problem: 'line 9: mcpServers.Good: differs only in case from "good"; rename one of them',
      },
    ]);
    await expect(readSettings('{"listn": {}}', { onskip: () => {} })).rejects.toThrow(
      'did you mean "listen"',
    );
    await expect(readSettings('{"policy": {}, "policy": {}}', { onskip: () => {} })).rejects.toThrow(
      "duplicated",
    );
  });

  it("rejects a duplicate key inside a server, even if servers may be skipped", async () => {
    for (const inside of [
      '"command": "x", "command": "y"',
      '"command": "x", "env": {"A": "1", "A": "2"}',
      '"command": "x", "policy": {}, "policy": {}',
    ])
      await expect(readSettings(`{"mcpServers": {"a": {${inside}}}}`, { onskip: () => {} })).rejects.toThrow(
        "is duplicated",
      );
    const skipped: unknown[] = [];
    const dotted = '{"servers": {"a.b": {"command": "x"}, "a.b": {"command": "y"}, "a b": {}, "a b": {}}}';
    await readSettings(dotted, { env: { HOME: "/home/ana" }, onskip: ({ server }) => skipped.push(server) });
    expect(skipped).toEqual(["a.b", "a b"]);
  });

  it("applies the default isolation if nothing else is set, and otherwise that of the file", async () => {
    const mcpServers = { a: { command: "x" }, b: { command: "x", isolation: { network: true } } };
    const options = { env: { HOME: "/home/ana" }, isolation: { driver: "process" } as const };
    const drivers = async (written: Record<string, unknown>) =>
      [...(await readSettings(written, options)).servers.values()].map(
        ({ transport }) => transport.type === "stdio" && transport.isolation.driver,
      );
    expect(await drivers({ mcpServers })).toEqual(["process", "auto"]);
    expect(await drivers({ mcpServers, isolation: { network: true } })).toEqual(["auto", "auto"]);
  });

  it("reads JSON like other parsers", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
        const plain = JSON.stringify(JSON.parse(text), null, indent);
        expect(JSON.stringify(parseJson(plain))).toBe(JSON.stringify(JSON.parse(plain)));
      }),
    );
    for (const number of ["01", "1.", ".5", "+1", "NaN", "-", "1e", "truee", "tru"])
      expect(() => parseJson(`[${number}]`)).toThrow(SyntaxError);
  });

  it("lists every problem with its location", async () => {
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

  it("a rule with a typo is a problem, and not ignored", async () => {
    expect(await problemsOf({ command: "x", policy: { "ui/message:rude": "deny" } })).toEqual([
      'mcpServers.one.policy["ui/message:rude"]: no call has this subject; write "ui/message" alone',
    ]);
    expect(await problemsOf({ command: "x", policy: { "tool/call:delete": "deny" } })).toEqual([
      'mcpServers.one.policy["tool/call:delete"]: unknown method; did you mean "tools/call"?',
    ]);
    expect(await problems({ policy: { "ui/open-link": "dney" } })).toEqual([
      expect.stringMatching(/^policy\["ui\/open-link"\]: unknown value.*did you mean "deny"\?$/),
    ]);
  });

  it("resolves references once", async () => {
    const options = { env: { ...env, TRICK: "${KEY} ${secret:X}" } };
    expect(
      await stdio(
        { args: ["${KEY}", "${env:KEY}!", "${NO:-a:-b}", "${env:NO:-}", "${REGION:-eu}"] },
        options,
      ),
    ).toMatchObject({
      // An empty variable counts as set.
      args: ["k3y", "k3y!", "a:-b", "", ""],
    });
    expect(await stdio({ args: ["$${KEY}", "$KEY", "${TRICK}", "{KEY}"] }, options)).toMatchObject({
      args: ["${KEY}", "$KEY", "${KEY} ${secret:X}", "{KEY}"],
    });
    expect(await remote({ url: "https://${KEY}.example.com/a" })).toMatchObject({
      url: "https://k3y.example.com/a",
    });
  });

  it("opens the secret store only for a reference, in the data folder, and reports if it cannot", async () => {
    const open = vi.fn(async () => ({ get: async () => "s3cret" }));
    await stdio({ env: { A: "$${secret:X}" } }, { secrets: open });
    expect(open).not.toHaveBeenCalled();
    expect(await stdio({ env: { A: "a-${secret:X}" } }, { secrets: open })).toMatchObject({
      env: { A: "a-s3cret" },
    });
    expect(open).toHaveBeenCalledWith("/home/ana/.local/share/vitrine");
    const locked = () => Promise.reject(new Error("the keyring is locked"));
    const found = await problemsOf({ command: "${secret:X}" }, { secrets: locked });
    expect(found[0]).toMatch(/^secrets cannot be read: the keyring is locked; fix that, or remove /);
  });

  it("passes on nothing of its own environment", async () => {
    vi.stubEnv("VITRINE_TEST_SECRET", "s3cret");
    const settings = await readSettings({ mcpServers: { one: { command: "x", env: { A: "b" } } } });
    expect(JSON.stringify([...settings.servers])).not.toContain("s3cret");
    vi.unstubAllEnvs();
  });

  it("never quotes a value in a problem", async () => {
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

  it("compares names exactly", async () => {
    const bad = ["", ".", "..", "a/b", "a b", " a", "ä", "а", "a\u200b", "a\n", "x".repeat(65), "a%2e"];
    for (const name of bad) {
      expect(await problems({ mcpServers: { [name]: { command: "x" } } })).toEqual([
        expect.stringContaining("is not a valid name; use 1 to 64 letters"),
      ]);
    }
    expect(await problems({ mcpServers: { Mail: { command: "x" }, mail: { command: "y" } } })).toEqual([
      'mcpServers.mail: differs only in case from "Mail"; rename one of them',
    ]);
    expect(
      await problems({ mcpServers: { mail: { command: "x" } }, servers: { mail: { command: "y" } } }),
    ).toEqual(["mcpServers.mail: this name is used twice; rename one of them"]);
    const { servers } = await read(
      '{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}',
    );
    expect([...servers.keys()]).toEqual(["__proto__", "constructor"]);
  });

  it("requires a flag and a credential for an address other than loopback", async () => {
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

  it("requires the same flag for apps on an address other than loopback", async () => {
    const users = [{ name: "ana", tokenHash: "0".repeat(64) }];
    for (const host of ["0.0.0.0", "::", "192.168.1.2"]) {
      expect(await problems({ sandbox: { host }, users })).toEqual([
        expect.stringMatching(/^sandbox\.host: .*"allowRemote": true/),
      ]);
      const listen = { host, allowRemote: true };
      expect(
        await read({ listen, sandbox: { host: "${HOST}" }, users }, { env: { ...env, HOST: host } }),
      ).toMatchObject({
        sandbox: { host },
      });
    }
    expect(await read({ sandbox: { host: "127.0.0.2" } })).toMatchObject({ sandbox: { host: "127.0.0.2" } });
    expect((await read({})).sandbox.host).toBeUndefined();
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
      expect.stringMatching(/^users\[2\]\.name: is not a valid name; /),
      "users[3].token: is too easy to guess; use at least 20 random characters",
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

  it("decides whether to use OAuth", async () => {
    expect(await remote({ oauth: false })).toMatchObject({ oauth: false });
    expect(await remote({ headers: { authorization: "Bearer ${KEY}" } })).toMatchObject({ oauth: false });
    expect(await remote({ stateless: true })).toMatchObject({ oauth: false });
    expect(await remote({ oauth: { clientId: "a" } })).toMatchObject({ oauth: true, clientId: "a" });
  });

  it("accepts isolation as a name, an object, and for all servers; a container requires an image", async () => {
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

  it("resolves paths against the file, but not a command's name", async () => {
    expect(await stdio({ command: "./bin/server", cwd: "work" })).toMatchObject({
      command: "/etc/vitrine/bin/server",
      cwd: "/etc/vitrine/work",
    });
    expect(await stdio({ command: "~/bin/server" })).toMatchObject({ command: "/home/ana/bin/server" });
    expect(await stdio({ command: "node" })).toMatchObject({ command: "node" });
    expect(await problemsOf({ command: "x", cwd: "~/a" }, { env: {} })).toEqual([
      "dataFolder: the home folder is unknown; set HOME, or write which folder",
      "mcpServers.one.cwd: the home folder is unknown; set HOME, or write the whole path",
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

  it("the command line overrides the file, and the file overrides defaults, key by key", async () => {
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

  it("reports a file that cannot be read", async () => {
    await expect(readSettingsFile("/nowhere/x.json")).rejects.toThrow(
      "/nowhere/x.json: the file does not exist; create it, or name another",
    );
    await expect(readSettingsFile(resolve("/"))).rejects.toThrow("/: is a folder; name a file");
    await expect(readSettingsFile("/dev/null/x")).rejects.toThrow("/dev/null/x: cannot be read (ENOTDIR); ");
  });

  it("returns settings or problems for any input", async () => {
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
