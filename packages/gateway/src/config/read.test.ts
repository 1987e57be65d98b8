// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { GatewayError } from "../errors.js";
import { readSettingsExample } from "./config.examples.js";
import type { RemoteSettings, StdioSettings } from "./config.js";
import { parseJson } from "./json.js";
import { type ReadOptions, readSettings, readSettingsFile } from "./read.js";

const env = { HOME: "/home/ana", KEY: "k3y", REGION: "" };
const read = (written: string | Record<string, unknown>, options: ReadOptions = {}) =>
  readSettings(written, { env, file: "/etc/vitrine/settings.json", ...options });
const one = async (server: Record<string, unknown>, options?: ReadOptions) => {
  const { servers } = await read({ mcpServers: { one: server } }, options);
  return servers.get("one");
};
const stdio = async (server: Record<string, unknown>, options?: ReadOptions) =>
  (await one({ command: "x", ...server }, options))?.transport as StdioSettings;
const remote = async (server: Record<string, unknown>, options?: ReadOptions) =>
  (await one({ url: "https://mcp.example.com/", ...server }, options))?.transport as RemoteSettings;

/** The problems of settings that are wrong. */
async function problems(written: string | Record<string, unknown>, options?: ReadOptions): Promise<string[]> {
  const error = await read(written, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  const { data, message } = error as GatewayError;
  expect(data.code).toBe("config-invalid");
  const found = data["problems"] as string[];
  for (const problem of found) expect(message).toContain(problem);
  return found;
}
const problemsOf = (server: unknown, options?: ReadOptions) =>
  problems({ mcpServers: { one: server } }, options);

describe("readSettings", () => {
  it("reads the example of the documents, which has every key", async () => {
    const doc = await readFile(new URL("../../../../docs/gateway/config.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n([\s\S]*?)```/.exec(doc) ?? [];
    const secrets = async () => ({ get: async (key: string) => `value of ${key}` });
    const bobToken = "0123456789abcdefghij";
    const settings = await read(example, {
      env: { HOME: "/home/ana", WEATHER_KEY: "k3y", BOB_TOKEN: bobToken },
      secrets,
    });
    expect([...settings.servers.keys()]).toEqual(["weather", "mail"]);
    expect(settings.servers.get("weather")).toEqual({
      name: "weather",
      transport: {
        type: "stdio",
        command: "npx",
        args: ["-y", "@example/server-weather", "--region=eu"],
        env: { API_KEY: "k3y", HOME: "/tmp" },
        cwd: "/home/ana/weather",
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
      sandbox: { port: 8444, origin: "https://{role}-{label}.apps.example.net", publicSuffix: true },
      policy: { "ui/open-link": "ask", "ui/download-file": "deny" },
      strict: true,
      audit: {
        payloads: "arguments",
        redact: expect.arrayContaining(["iban", "password"]),
        retentionDays: 365,
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
      sandbox: { port: 8091, publicSuffix: false },
      strict: false,
      audit: { payloads: "none" },
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
    ['{\n  "mcpServers": {\n    "a": s3cret\n  }\n}', "line 3, column 10: a value is missing here"],
    ['{"mcpServers": {', "line 1, column 17: a key in quotes is missing here"],
    ['{"a": 1 "b": 2}', 'line 1, column 9: "," is missing here'],
    ['{"a" 1}', 'line 1, column 6: ":" is missing here'],
    ['{"a": "s3cret\\x"}', "line 1, column 7: a text is wrong here"],
    ['{"a": "s3cret', "line 1, column 7: a text is missing here"],
    ["{} {}", "line 1, column 4: nothing more should be here"],
    ["{,}", "line 1, column 2: a key in quotes is missing here"],
    ['{"a": 1,, }', "line 1, column 9: a key in quotes is missing here"],
    ["{'a': 1}", "line 1, column 2: a key in quotes is missing here"],
    [`${"[".repeat(1000)}`, "line 1, column 102: this is nested too deep"],
    ['{"mcpServers": {"a": {}, // one\n "a": {}}}', 'line 2, column 2: the key "a" is there twice'],
    [" \n// nothing", "the file is empty"],
    ["[]", "must be an object"],
  ])("says where %j is wrong, and repeats nothing of it", async (text, problem) => {
    expect(await problems(text)).toEqual([problem]);
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
      "line 4: mcpServers.b: needs a command or a url",
      "line 7: mcpServers.c.args[1]: must be text",
    ]);
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
      { problem: "line 2: coworkFiles: there is no such setting, and it is ignored" },
      { problem: "line 4: mcpServers.good.theirKey: there is no such setting, and it is ignored" },
      {
        server: "typo",
        problem: 'line 5: mcpServers.typo.isolatoin: there is no such setting; did you mean "isolation"?',
      },
      {
        server: "env",
        problem: "line 6: mcpServers.env.env.KEY: the environment variable NOT_SET is not set",
      },
      {
        server: "two",
        problem: "line 8: mcpServers.two: this name is there twice; rename one of them",
      },
      {
        server: "Good",
        problem: "line 9: mcpServers.Good: differs only in case from good; rename one",
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

  it("lists every problem with its place, and guesses what was meant", async () => {
    const found = await problems({
      mcpServers: {
        weather: {
          command: "x",
          isolation: { memory: "lots", netwrok: true },
          limits: { timeout: -1 },
          polcy: {},
        },
        mail: { url: "ftp://x", headers: { "a b": "c" } },
        nothing: {},
        both: { command: "x", url: "https://x" },
        mixed: { url: "https://x.example", args: [], isolation: "process" },
      },
      listn: {},
      audit: { payloads: "argument" },
      session: "long",
    });
    expect(found).toEqual([
      'listn: there is no such setting; did you mean "listen"?',
      'audit.payloads: must be one of "none", "arguments", "all"; did you mean "arguments"?',
      "session: must be an object",
      'mcpServers.weather.isolation.memory: must be a size such as "512MB" or "1GiB", or a number of bytes',
      'mcpServers.weather.isolation.netwrok: there is no such setting; did you mean "network"?',
      'mcpServers.weather.limits.timeout: must be a time such as "30s" or "5m", or a number of milliseconds',
      'mcpServers.weather.polcy: there is no such setting; did you mean "policy"?',
      'mcpServers.mail.headers["a b"]: is no name of a header',
      "mcpServers.nothing: needs a command or a url",
      "mcpServers.both: has a command and a url; one of them must go",
      "mcpServers.mixed.args: only for a server with a command, and this one has a url",
      "mcpServers.mixed.isolation: only for a server with a command, and this one has a url",
    ]);
  });

  it("a rule with a typing mistake is a problem, not an open door", async () => {
    expect(await problemsOf({ command: "x", policy: { "tool/call:delete": "deny" } })).toEqual([
      'mcpServers.one.policy["tool/call:delete"]: there is no such method; did you mean "tools/call"?',
    ]);
    expect(await problems({ policy: { "ui/open-link": "dney" } })).toEqual([
      'policy["ui/open-link"]: must be one of "allow", "ask", "deny"; did you mean "deny"?',
    ]);
    expect(await problemsOf({ command: "x", permissions: { cammera: "deny" } })).toHaveLength(1);
    expect(await problemsOf({ command: "x", relax: ["eval"] })).toHaveLength(1);
    expect(await problemsOf({ command: "x", limits: { rates: { call: { burst: 1 } } } })).toEqual([
      "mcpServers.one.limits.rates.call: needs both burst and perSecond",
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

  it("names what a reference does not find", async () => {
    const found = await problemsOf({
      command: "x",
      env: { A: "${MISSING}", B: "${secret:LOST}", C: "${input:token}", D: "${a b}", E: "${}" },
    });
    expect(found).toEqual([
      "mcpServers.one.env.A: the environment variable MISSING is not set",
      "mcpServers.one.env.B: there is no secret LOST; store it first, or take ${secret:LOST} out",
      "mcpServers.one.env.C: ${input:token}: only ${env:NAME} and ${secret:NAME} are known; write $${ for a plain ${",
      "mcpServers.one.env.D: ${a b}: no name of a variable; write $${ for a plain ${",
      "mcpServers.one.env.E: ${}: no name of a variable; write $${ for a plain ${",
    ]);
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
    expect(found[0]).toBe("secrets cannot be read: the keyring is locked");
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
        expect.stringContaining("a name has 1 to 64 letters"),
      ]);
    }
    expect(await problems({ mcpServers: { Mail: { command: "x" }, mail: { command: "y" } } })).toEqual([
      "mcpServers.mail: differs only in case from Mail; rename one",
    ]);
    expect(
      await problems({ mcpServers: { mail: { command: "x" } }, servers: { mail: { command: "y" } } }),
    ).toEqual(["mcpServers.mail: this name is there twice"]);
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
      const flag = /^listen\.host: .*allowRemote: true/;
      const credential = /^listen\.host: .*needs users/;
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
      "users[0]: needs one of tokenHash and token",
      "users[1].tokenHash: must be the SHA-256 of a token, as 64 digits from 0 to f",
      expect.stringMatching(/^users\[2\]\.name: a name has/),
      "users[2]: needs a name",
      "users[3].token: must have 20 characters or more, from a random source",
      "users[4]: needs a name",
      "users[5]: must be an object",
    ]);
    const twice = { name: "ana", tokenHash: "0".repeat(64) };
    expect(await problems({ users: [twice, { ...twice, name: "Ana" }] })).toEqual([
      "users.Ana: differs only in case from ana; rename one",
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
    const url = "https://x.example";
    expect(await problemsOf({ url, stateless: true, oauth: true })).toEqual([
      "mcpServers.one.oauth: a stateless server is shared: all users would be the one who signs in",
    ]);
    expect(await problemsOf({ url, headers: { Authorization: "x" }, oauth: {} })).toHaveLength(1);
    expect(await problemsOf({ url, oauth: { clientSecret: "x" } })).toHaveLength(1);
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
    expect(await problemsOf({ command: "x", isolation: "container" })).toEqual([
      "mcpServers.one.isolation.image: a container needs the name of an image",
    ]);
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
      "dataFolder: nobody's home is known; say which folder",
      "mcpServers.one.cwd: nobody's home is known; write the whole path",
    ]);
    expect(await read({ database: "sqlite:audit.db" })).toMatchObject({
      database: "sqlite:/etc/vitrine/audit.db",
    });
    expect(await problems({ database: "mysql://x" })).toHaveLength(1);
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
    expect(await problems({}, { overrides: { listen: { port: 70_000 } } })).toEqual([
      "listen.port: must be a whole number from 0 to 65535",
    ]);
    expect(
      await problems({ listen: { allowRemote: true, host: "0.0.0.0" } }, { overrides: { users: undefined } }),
    ).toHaveLength(1);
  });

  it("a file that cannot be read is a problem", async () => {
    await expect(readSettingsFile("/nowhere/x.json")).rejects.toThrow(
      "/nowhere/x.json: there is no such file",
    );
    await expect(readSettingsFile(resolve("/"))).rejects.toThrow(/cannot be read/);
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
        if (outcome instanceof Error) expect(outcome).toMatchObject({ data: { code: "config-invalid" } });
        else expect(outcome).toHaveProperty("servers");
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
