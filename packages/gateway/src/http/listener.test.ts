import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { closed } from "../../../../testing/closed.js";
import { type HttpStage, openStage, type StageOptions } from "../../../../testing/gateway/http-stage.js";

const open: HttpStage[] = [];
const stageOf = async (options?: StageOptions): Promise<HttpStage> => {
  const stage = await openStage(options);
  open.push(stage);
  return stage;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

/** Sends raw bytes, and resolves with everything that is received until the other end closes. */
const send = (port: number, ...parts: (string | Buffer)[]): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding("utf8").on("data", (part: string) => (text += part));
    socket.on("error", () => {}).on("close", () => resolve(text));
  });

const call = "/api/servers/weather/tools/call";
const body = JSON.stringify({ name: "forecast", arguments: { city: "Berne" } });
const users = [{ name: "ada", tokenHash: createHash("sha256").update("secret").digest("hex") }];

describe("the listening address", () => {
  it("is loopback, under all of its names, each with its own Origin", async () => {
    const { listener, ask, program } = await stageOf();
    const { port, origins, origin } = listener;
    expect(origin).toBe(`http://127.0.0.1:${port}`);
    expect([...origins].sort()).toEqual(
      [`http://127.0.0.1:${port}`, `http://[::1]:${port}`, `http://localhost:${port}`].sort(),
    );
    for (const each of origins) {
      const headers = { ...program, host: new URL(each).host, origin: each };
      expect((await ask(call, { method: "POST", headers, body })).status).toBe(200);
    }
  });

  it("does not change the globals of the process: `fetch` returns a `Response`", async () => {
    const { listener } = await stageOf();
    expect(await fetch(`${listener.origin}/healthz`)).toBeInstanceOf(Response);
  });

  it("is public only with the flag and with users", async () => {
    const invalid = { data: { code: "config-invalid" } };
    await expect(openStage({ host: "0.0.0.0", origin: "https://vitrine.example" })).rejects.toMatchObject(
      invalid,
    );
    const remote = { host: "0.0.0.0", origin: "https://vitrine.example", allowRemote: true };
    await expect(openStage(remote)).rejects.toMatchObject(invalid);
    const { allowRemote: _, ...closed } = remote;
    await expect(openStage({ ...closed, users: { users } })).rejects.toMatchObject(invalid);
    await expect(openStage({ host: "0.0.0.0", allowRemote: true, users: { users } })).rejects.toThrow(
      /^listen\.origin is missing/,
    );
    for (const origin of ["vitrine.example", "https://vitrine.example/", "ftp://vitrine.example"]) {
      await expect(openStage({ origin })).rejects.toThrow(/origin must look like/);
    }
    const { ask, program } = await stageOf({ ...remote, users: { users }, token: "secret" });
    expect((await ask(call, { method: "POST", headers: program, body })).status).toBe(200);
    expect(
      (await ask(call, { method: "POST", headers: { ...program, host: "127.0.0.1" }, body })).status,
    ).toBe(403);
  });

  it("is the configured one behind a reverse proxy, and never that of a header", async () => {
    const { listener, ask, program, auth } = await stageOf({ origin: "https://vitrine.example" });
    expect(listener.loginUrl()).toMatch(/^https:\/\/vitrine\.example\/login\?code=/);
    const headers = { ...program, host: "vitrine.example", origin: "https://vitrine.example" };
    expect((await ask(call, { method: "POST", headers, body })).status).toBe(200);
    const forged = { ...headers, host: "evil.example", "x-forwarded-host": "vitrine.example" };
    expect((await ask(call, { method: "POST", headers: forged, body })).status).toBe(403);
    const login = await ask(`/login?code=${auth.link("local")}`, { headers: { host: "vitrine.example" } });
    expect(login.headers["set-cookie"]?.[0]).toMatch(/^__Host-vitrine=.*; Secure$/);
    // Direct access to the machine has no https.
    const plain = { host: `127.0.0.1:${listener.port}`, "x-forwarded-proto": "https" };
    const local = await ask(`/login?code=${auth.link("local")}`, { headers: plain });
    expect(local.headers["set-cookie"]?.[0]).toMatch(
      /^vitrine-\d+=[^;]*; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });
});

describe("requests", () => {
  it("with two hosts, addresses of other hosts, or invalid HTTP are rejected", async () => {
    const { listener, program, calls } = await stageOf();
    const { port } = listener;
    const host = `Host: ${program["host"]}\r\n`;
    const rest = `Authorization: ${program["authorization"]}\r\nConnection: close\r\n\r\n`;
    expect(await send(port, `GET /api/servers HTTP/1.1\r\n${host}Host: evil.example\r\n${rest}`)).toMatch(
      / 400 /,
    );
    expect(await send(port, `GET http://evil.example/api/servers HTTP/1.1\r\n${host}${rest}`)).toMatch(
      / 400 /,
    );
    expect(await send(port, `GET /api/servers HTTP/1.1\r\n${rest}`)).toMatch(/ 400 /);
    expect(await send(port, `GET /api/servers HTTP/1.1\r\nHost:\r\n${rest}`)).toMatch(/ 40[03] /);
    expect(await send(port, "hello\r\n\r\n")).toMatch(/ 400 .*content-security-policy/s);
    expect(calls).toEqual([]);
    expect(await send(port, `GET /api/servers HTTP/1.1\r\n${host}${rest}`)).toMatch(/ 200 /);
  });

  it("with too many or too large headers, or too long addresses, are rejected", async () => {
    const { ask, program, calls, listener } = await stageOf();
    const { host, authorization } = program;
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, "1"]));
    expect((await ask("/api/servers", { headers: { ...many, host, authorization } })).status).toBe(431);
    expect((await ask(`/${"a".repeat(9000)}`, { headers: { host, authorization } })).status).toBe(414);
    expect(
      await send(listener.port, `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${"a".repeat(20_000)}\r\n\r\n`),
    ).toMatch(/ 431 /);
    expect(calls).toEqual([]);
  });

  it("are read up to the limit of their route, whatever their declared length", async () => {
    const { ask, program, calls, listener } = await stageOf({ limits: { body: 10_000 } });
    const big = JSON.stringify({ name: "x".repeat(20_000) });
    const said = await ask(call, { method: "POST", headers: program, body: big });
    expect([said.status, JSON.parse(said.text).error.code]).toEqual([413, "body-too-large"]);
    expect(
      (await ask("/logout", { method: "POST", headers: program, body: `"${"x".repeat(1000)}"` })).status,
    ).toBe(413);
    const head = `POST ${call} HTTP/1.1\r\n${Object.entries(program)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}transfer-encoding: chunked\r\n\r\n`;
    const chunk = `1000\r\n${"x".repeat(4096)}\r\n`;
    // It never ends, but the connection is closed nevertheless.
    expect(await send(listener.port, head, chunk, chunk, chunk)).toMatch(/ 413 /);
    // The same for a body that nobody reads, and that continues to arrive.
    const socket = connect(listener.port, "127.0.0.1").on("error", () => {});
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.write(head.replace(/authorization: .*\r\n/, ""));
    const more = setInterval(() => socket.write(chunk), 20);
    await closed(socket);
    clearInterval(more);
    expect(answer).toMatch(/ 401 /);
    // A client that sends a large body completely gets the answer, and may reuse the connection.
    const large = `${head.replace("transfer-encoding: chunked", "content-length: 3000000")}${"x".repeat(3_000_000)}`;
    const next = `GET /healthz HTTP/1.1\r\nHost: ${program["host"]}\r\nConnection: close\r\n\r\n`;
    expect(await send(listener.port, large, next)).toMatch(/ 413 .* 200 /s);
    expect(calls).toEqual([]);
  });

  it("with an expectation get `100 Continue` only after authentication, and no other expectation is supported", async () => {
    const { listener, program } = await stageOf();
    const lines = Object.entries({ ...program, connection: "close" }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const head = (more: string): string =>
      `POST ${call} HTTP/1.1\r\n${lines.join("")}content-length: ${body.length}\r\n${more}\r\n`;
    const [known, unknown] = await Promise.all([
      send(listener.port, head("expect: 100-continue\r\n"), body),
      send(listener.port, head("expect: 100-continue\r\n").replace(/authorization: .*\r\n/, "")),
    ]);
    expect(known).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    expect(unknown).toMatch(/^HTTP\/1.1 401 /);
    expect(await send(listener.port, head("expect: wonders\r\n"), body)).toMatch(
      /^HTTP\/1.1 400 .*content-security-policy/s,
    );
  });

  it("followed by garbage get no further answer", async () => {
    const { listener, program } = await stageOf();
    const asked = `GET /healthz HTTP/1.1\r\nHost: ${program["host"]}\r\n\r\n`;
    const socket = connect(listener.port, "127.0.0.1").on("error", () => {});
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.write(asked);
    await expect.poll(() => answer).toContain('{"ok":true}');
    socket.write("garbage\r\n\r\n");
    await closed(socket);
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it("with GET and a body are rejected", async () => {
    const { ask, program } = await stageOf();
    const answer = await ask("/api/servers", { headers: { ...program, "content-length": "2" }, body: "{}" });
    expect(answer.status).toBe(400);
  });

  it("that arrive too slowly are ended", async () => {
    const { listener, program } = await stageOf({ limits: { headersTimeout: 300, requestTimeout: 600 } });
    const slow = `POST ${call} HTTP/1.1\r\nHost: ${program["host"]}\r\n`;
    expect(await send(listener.port, slow)).toBe("");
    expect(await send(listener.port)).toBe("");
    const whole = Object.entries(program).map(([name, value]) => `${name}: ${value}\r\n`);
    const started = `POST ${call} HTTP/1.1\r\n${whole.join("")}content-length: 100\r\n\r\n{`;
    expect(await send(listener.port, started)).not.toMatch(/ 200 /);
  });

  it("beyond the limit of connections are closed", async () => {
    const { listener, ask, program } = await stageOf({ limits: { connections: 1 } });
    const { host, authorization } = program;
    const first = connect(listener.port, "127.0.0.1");
    await vi.waitFor(() => expect(first.readyState).toBe("open"));
    await expect(ask("/api/servers", { headers: { host, authorization } })).rejects.toThrow();
    first.destroy();
    await expect
      .poll(() =>
        ask("/api/servers", { headers: { host, authorization } }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it("of one caller are rate limited, with the time to retry", async () => {
    const time = 1000;
    const { ask, program, calls } = await stageOf({
      limits: { rate: { burst: 2, perSecond: 0.5 } },
      now: () => time,
    });
    const post = () => ask(call, { method: "POST", headers: program, body });
    await post();
    await post();
    const answer = await post();
    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
    expect(JSON.parse(answer.text).error).toMatchObject({ code: "rate-limited", data: { retryAfter: 2000 } });
    expect(calls).toHaveLength(2);
  });
});

describe("routes", () => {
  it("return a result unchanged, byte by byte, and pass on the key", async () => {
    const { ask, program, calls } = await stageOf();
    const headers = { ...program, "idempotency-key": "order 7 / ~" };
    const answer = await ask(call, { method: "POST", headers, body });
    expect(answer.text).toBe('{"content":[ {"type":"text","text":"Sunny"} ]}');
    expect(answer.headers["content-length"]).toBe(String(answer.text.length));
    expect(calls).toEqual([["tools/call", "local", "weather", JSON.parse(body), "order 7 / ~"]]);
  });

  it.each(["", "x".repeat(201), "caf\u00e9"])("reject the key %j", async (key) => {
    const { ask, program, calls } = await stageOf();
    const headers = { ...program, "idempotency-key": key };
    expect((await ask(call, { method: "POST", headers, body })).status).toBe(400);
    expect(calls).toEqual([]);
  });

  it.each([
    ["{", "not JSON"],
    [Buffer.from('{"name":"\xff"}', "latin1"), "not UTF-8"],
    ["[]", "must be an object"],
    ["{}", "name is missing"],
    ['{"name":1}', "name must be a string"],
    ['{"name":"x","arguments":[]}', "arguments must be an object"],
    ['{"name":"x","extra":1}', 'has an unknown field "extra"; use one of name, arguments'],
  ])("reject the body %s", async (text, problem) => {
    const { ask, program, calls } = await stageOf();
    const answer = await ask(call, { method: "POST", headers: program, body: text });
    expect([answer.status, JSON.parse(answer.text).error.message]).toEqual([
      400,
      expect.stringContaining(problem),
    ]);
    expect(calls).toEqual([]);
  });

  it("know no server with an invalid name", async () => {
    const { ask, program, calls } = await stageOf();
    for (const name of ["%2e%2e%2fetc", "a%20b", "%00", "w%C3%A9", "%", "x".repeat(101)]) {
      const answer = await ask(`/api/servers/${name}/tools/call`, { method: "POST", headers: program, body });
      expect([name, answer.status]).toEqual([name, 404]);
    }
    expect(calls).toEqual([]);
  });

  it("pass on complete bodies to the routes of other parts", async () => {
    const { ask, program, calls } = await stageOf();
    await ask("/api/servers/weather/host", { method: "POST", headers: program, body: '{"jsonrpc":"2.0"}' });
    await ask("/api/session", { method: "POST", headers: program, body: '["hello ü"]' });
    expect(calls).toEqual([
      ["host", "local", "weather", '{"jsonrpc":"2.0"}'],
      ["frames", "local", '["hello ü"]'],
    ]);
  });

  it("read queries as documented, and reject others", async () => {
    const { ask, program, calls } = await stageOf();
    const { host, authorization } = program;
    const get = (path: string) => ask(path, { headers: { host, authorization } });
    const { text } = await get("/api/audit?server=weather&limit=5&newestFirst=true&decision=refused");
    expect(JSON.parse(text).rows).toHaveLength(1);
    expect(calls).toEqual([
      ["audit", "local", expect.objectContaining({ server: "weather", limit: 5, newestFirst: true })],
    ]);
    for (const query of [
      "limit=0",
      "limit=1001",
      "limit=x",
      "newestFirst=1",
      "decision=maybe",
      "other=1",
      "from=-1",
    ]) {
      expect([query, (await get(`/api/audit?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await get("/api/audit?server=a&server=b")).status).toBe(400);
    expect(calls).toHaveLength(1);
  });

  it("export the audit log as lines, and never a part of it as the whole", async () => {
    const { ask, program } = await stageOf();
    const { host, authorization } = program;
    const { text, headers } = await ask("/api/audit/export", { headers: { host, authorization } });
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toEqual([1, 2]);
    expect(headers["content-type"]).toBe("application/jsonl; charset=utf-8");
    const row = { seq: 1, time: 1, kind: "entry" as const, hash: "x".repeat(100_000) };
    const broken = await stageOf({
      api: {
        audit: {
          query: async () => [],
          verify: async () => ({ ok: true, rows: 0, head: "" }),
          async *rows() {
            yield row;
            throw new Error("disk gone");
          },
        },
      },
    });
    const right = { host: broken.program["host"], authorization: broken.program["authorization"] };
    await expect(broken.ask("/api/audit/export", { headers: right })).rejects.toThrow();
    expect(broken.logged.join("")).toContain("disk gone");
    // With HTTP/1.0 an answer ends with its connection: a truncated one is reset.
    const socket = connect(broken.listener.port, "127.0.0.1");
    socket.write(
      `GET /api/audit/export HTTP/1.0\r\nHost: ${right.host}\r\nAuthorization: ${right.authorization}\r\n\r\n`,
    );
    socket.resume();
    await expect(once(socket, "end")).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("report an error before the first row like any other error", async () => {
    const fails = await stageOf({
      api: {
        audit: {
          query: async () => [],
          verify: async () => ({ ok: true, rows: 0, head: "" }),
          // biome-ignore lint/correctness/useYield: it fails before it can
          async *rows() {
            throw new Error("disk gone");
          },
        },
      },
    });
    const { host, authorization } = fails.program;
    const { status, text } = await fails.ask("/api/audit/export", { headers: { host, authorization } });
    expect([status, JSON.parse(text).error.code]).toEqual([500, "internal"]);
  });

  it("stop reading rows for an export whose caller disconnected, which is not an error", async () => {
    let isOver = false;
    const row = { seq: 1, time: 1, kind: "entry" as const, hash: "x".repeat(100_000) };
    const { listener, program, logged } = await stageOf({
      api: {
        audit: {
          query: async () => [],
          verify: async () => ({ ok: true, rows: 0, head: "" }),
          async *rows() {
            try {
              for (;;) yield row;
            } finally {
              isOver = true;
            }
          },
        },
      },
    });
    const { host, authorization } = program;
    const socket = connect(listener.port, "127.0.0.1");
    socket.write(
      `GET /api/audit/export HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
    await once(socket, "data");
    expect(isOver).toBe(false);
    socket.destroy();
    await expect.poll(() => isOver).toBe(true);
    await expect.poll(() => logged.join("")).toContain("the caller disconnected");
    expect(logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it("find a server by its decoded name, and no route by another path", async () => {
    const { ask, program, calls } = await stageOf();
    expect(
      (await ask("/api/servers/w%65ather/tools/call", { method: "POST", headers: program, body })).status,
    ).toBe(200);
    expect(calls).toHaveLength(1);
    for (const path of [
      "/api//servers/weather/tools/call",
      `${call}/`,
      "/api/./servers",
      "/api/servers/../audit",
      "/Api/servers",
      "/api/servers#",
      "/openapiXjson",
    ]) {
      const { status } = await ask(path, { method: "POST", headers: program, body });
      expect([path, status]).toEqual([path, 404]);
    }
    expect(calls).toHaveLength(1);
  });

  it("report why the gateway is not ready to authenticated callers", async () => {
    const stage = await stageOf({ api: { ready: () => ({ ok: false, problems: ["the disk is full"] }) } });
    const { host } = stage.program;
    expect(await stage.ask("/readyz", { headers: { host } })).toMatchObject({
      status: 503,
      text: '{"ok":false}',
    });
    const cookie = await stage.signIn();
    expect((await stage.ask("/readyz", { headers: { host, cookie } })).text).toContain("the disk is full");
    const { authorization } = stage.program;
    expect(await stage.ask("/readyz", { headers: { host, authorization } })).toMatchObject({
      status: 503,
      text: '{"ok":false,"problems":["the disk is full"]}',
    });
    const wrong = await stage.ask("/readyz", { headers: { host, authorization: "Bearer wrong" } });
    expect(wrong.status).toBe(401);
    expect(wrong.text).not.toContain("disk");
    // A probe of a proxy may send credentials that are not for the gateway.
    expect((await stage.ask("/healthz", { headers: { host, authorization: "Basic x" } })).status).toBe(200);
  });

  it("handle the redirect from an authorization server, and know the user", async () => {
    const { ask, program, signIn, calls } = await stageOf();
    const cookie = await signIn();
    const { host } = program;
    const navigation = { host, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const path = "/oauth/callback?code=a%26b&state=s";
    // The cookie is not sent from another site, so nothing happens yet.
    const first = await ask(path, { headers: { ...navigation, "sec-fetch-site": "cross-site" } });
    expect(first.status).toBe(200);
    expect(calls).toEqual([]);
    const again = String(first.headers["refresh"]).replace("0; url=", "");
    const second = await ask(again, { headers: { ...navigation, "sec-fetch-site": "same-origin", cookie } });
    expect(second.text).toContain("signed in to &#60;weather&#62;");
    expect(calls).toEqual([["authorized", "code=a%26b&state=s", "local"]]);
    // A browser without a signed-in user.
    await ask(again, { headers: { ...navigation, "sec-fetch-site": "same-origin" } });
    expect(calls[1]).toEqual(["authorized", "code=a%26b&state=s", undefined]);
    // Another site cannot skip the step that sends the cookie.
    const skipped = await ask(again, { headers: { ...navigation, "sec-fetch-site": "cross-site" } });
    expect(skipped).toMatchObject({ status: 403, text: expect.stringContaining("cross-site") });
    expect(calls).toHaveLength(2);
  });

  it("notify the server's side when the caller disconnects", async () => {
    let aborted = false;
    const { listener, program, logged } = await stageOf({
      api: {
        request: (_caller, _server, _method, _params, { signal }) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => {
              aborted = true;
              reject(signal.reason);
            });
          }),
      },
    });
    const controller = new AbortController();
    const { host: _, ...headers } = program;
    const sent = fetch(`${listener.origin}${call}`, {
      method: "POST",
      headers,
      body,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 100);
    await expect(sent).rejects.toThrow();
    await expect.poll(() => aborted).toBe(true);
    // This is not an error of the gateway.
    await expect.poll(() => logged.join("")).toContain('"status":499');
    expect(logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it("drop queued requests when their connection closes", async () => {
    const aborted: string[] = [];
    const { listener, program, calls } = await stageOf({
      api: {
        request: (_caller, _server, _method, params, { signal }) =>
          new Promise((_resolve, reject) => {
            calls.push(["began"]);
            signal?.addEventListener("abort", () => {
              aborted.push(String(params["name"]));
              reject(signal.reason);
            });
          }),
      },
    });
    const lines = Object.entries(program).map(([name, value]) => `${name}: ${value}\r\n`);
    const ask = (name: string): string => {
      const text = JSON.stringify({ name });
      return `POST ${call} HTTP/1.1\r\n${lines.join("")}content-length: ${text.length}\r\n\r\n${text}`;
    };
    const socket = connect(listener.port, "127.0.0.1");
    socket.write(ask("first") + ask("second") + ask("third"));
    await expect.poll(() => calls.length).toBe(3);
    socket.destroy();
    await expect.poll(() => aborted.sort()).toEqual(["first", "second", "third"]);
    // Nothing is pending, so there is nothing to wait for.
    await listener.close(2 ** 31 - 1);
  });

  it("return an error if an answer cannot be sent, and end one that has started", async () => {
    const impossible = { status: 200, headers: { "x-name": "caf\u0000e" } };
    const { ask, program, logged } = await stageOf({
      transports: {
        frames: async () => impossible,
        events: (_asked, outgoing) => {
          outgoing.writeHead(200).write("data: 1\n\n");
          throw new Error("the wire broke");
        },
      },
    });
    const { host, authorization } = program;
    const { status } = await ask("/api/session", { method: "POST", headers: program, body: "[]" });
    expect(status).toBe(500);
    await expect(ask("/api/session", { headers: { host, authorization } })).rejects.toThrow();
    expect(logged.join("")).toContain("an answer was cut off");
  });
});

describe("close", () => {
  it("waits for pending requests, refuses new ones, and ends streams and sockets", async () => {
    let finish = (): void => {};
    const under = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { listener, program, ask, calls } = await stageOf({
      api: {
        request: async () => {
          calls.push(["began"]);
          await under;
          return { content: [] };
        },
      },
    });
    const pending = ask(call, { method: "POST", headers: program, body });
    await expect.poll(() => calls.length).toBe(1);
    const { host, authorization } = program;
    const stream = ask("/api/session", { headers: { host, authorization } });
    await expect.poll(() => calls.length).toBe(2);
    const upgrading = `GET /api/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${listener.origin}\r\nAuthorization: ${authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    const socket = send(listener.port, upgrading);
    await expect.poll(() => calls.length).toBe(3);
    // An earlier connection may still send requests.
    const kept = connect(listener.port, "127.0.0.1");
    kept.write(`GET /api/servers HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n`);
    let heard = "";
    kept.setEncoding("utf8").on("data", (part: string) => (heard += part));
    await vi.waitFor(() => expect(kept.readyState).toBe("open"));
    const closed = listener.close(30_000);
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    kept.write("\r\n");
    await expect.poll(() => heard).toMatch(/ 503 .*connection: close.*stopping/is);
    await expect(ask("/healthz", { headers: { host } })).rejects.toThrow();
    expect(isClosed).toBe(false);
    finish();
    expect((await pending).status).toBe(200);
    expect((await stream).text).toBe("data: 1\n\n");
    expect(await socket).toMatch(/ 101 /);
    await closed;
    await listener.close();
  });

  it("does not wait longer than its grace period", async () => {
    const { listener, program, ask, calls } = await stageOf({
      api: {
        request: () => {
          calls.push(["began"]);
          return new Promise(() => {});
        },
      },
    });
    const pending = ask(call, { method: "POST", headers: program, body });
    const ended = expect(pending).rejects.toThrow();
    await expect.poll(() => calls.length).toBe(1);
    await listener.close(50);
    await ended;
  });
});
