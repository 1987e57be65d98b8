import { getEventListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kindOfAddress } from "./addresses.js";
import { type SafeFetchOptions, safeFetch } from "./safe-fetch.js";

describe("kindOfAddress", () => {
  it.each([
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "::1",
    "::",
    "fc00::1",
    "fd12:3456::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "2002:7f00:0001::",
    "2002:0a00:0001::1",
  ])("%s is private", (address) => {
    expect(kindOfAddress(address)).toBe("private");
  });

  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "ff02::1",
    "",
    "example.com",
    "0x7f.1",
    "2130706433",
    "1.2.3",
  ])("%s is forbidden", (address) => {
    expect(kindOfAddress(address)).toBe("forbidden");
  });

  it.each([
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "64:ff9b::1.1.1.1",
    "::ffff:1.1.1.1",
  ])("%s is public", (address) => {
    expect(kindOfAddress(address)).toBe("public");
  });
});

describe("safeFetch", () => {
  const listeners: Server[] = [];
  const fetches: { close(): void }[] = [];
  let seen: IncomingMessage[] = [];
  let home: string;
  let away: string;

  async function listen(host: string, answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const listener = createServer((request, response) => {
      seen.push(request);
      answer(request, response);
    });
    listeners.push(listener);
    await new Promise<void>((resolve) => listener.listen(0, host, resolve));
    return `http://${host}:${(listener.address() as AddressInfo).port}`;
  }
  /** Redirects to the target in the query, with the given status. */
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { searchParams } = new URL(request.url ?? "", home);
    const location = searchParams.get("to");
    if (!location) return void response.end("here");
    response.writeHead(Number(searchParams.get("status") ?? 307), { location }).end();
  };
  const redirect = (to: string, status = 307): string =>
    `${home}/?status=${status}&to=${encodeURIComponent(to)}`;
  const make = (options: Partial<SafeFetchOptions> = {}) => {
    const made = safeFetch({ url: home, privateNetwork: false, message: 10_000, timeout: 5_000, ...options });
    fetches.push(made);
    return made.fetch;
  };

  beforeEach(async () => {
    seen = [];
    home = await listen("127.0.0.1", answer);
    away = await listen("127.0.0.2", answer);
  });
  afterEach(async () => {
    for (const one of fetches.splice(0)) one.close();
    for (const listener of listeners.splice(0)) {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    }
  });

  const forbidden = expect.objectContaining({ data: expect.objectContaining({ code: "address-forbidden" }) });

  it("reaches the address that the operator wrote, and no other private address", async () => {
    expect(await (await make()(home)).text()).toBe("here");
    await expect(make()(away)).rejects.toEqual(forbidden);
    expect(seen.length).toBe(1);
  });

  it.each(["2130706434", "0x7f000002", "0177.0.0.2", "127.2", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]"])(
    "sees through %s",
    async (host) => {
      await expect(make()(away.replace("127.0.0.2", host))).rejects.toEqual(forbidden);
      await expect(make()(redirect(away.replace("127.0.0.2", host)))).rejects.toEqual(forbidden);
      expect(seen.every(({ headers }) => headers.host === new URL(home).host)).toBe(true);
    },
  );

  it("does not reach a metadata service even if the private network is allowed", async () => {
    const fetch = make({ privateNetwork: true });
    await expect(fetch("http://169.254.169.254/")).rejects.toEqual(forbidden);
    await expect(fetch(redirect("http://[::ffff:a9fe:a9fe]/"))).rejects.toEqual(forbidden);
  });

  it("checks the address of each connection, because a name may resolve differently", async () => {
    const addresses = ["127.0.0.1", "127.0.0.2"];
    const asked: string[] = [];
    const lookup = ((name: string, _: unknown, done: (error: null, found: object[]) => void) => {
      asked.push(name);
      done(null, [{ address: addresses.shift(), family: 4 }]);
    }) as unknown as SafeFetchOptions["lookup"];
    const { port } = new URL(home);
    // A kept connection would still use the first address.
    const init = { headers: { connection: "close" } };
    const fetch = make({ lookup });
    expect(await (await fetch(`http://rebinding.example:${port}/`, init)).text()).toBe("here");
    await expect(fetch(`http://rebinding.example:${port}/`, init)).rejects.toEqual(forbidden);
    expect(asked).toEqual(["rebinding.example", "rebinding.example"]);
    expect(seen.length).toBe(1);
  });

  it("rejects a name if one of its addresses is forbidden", async () => {
    const lookup = ((_name: string, _options: unknown, done: (error: null, found: object[]) => void) =>
      done(null, [
        { address: "127.0.0.1", family: 4 },
        { address: "::ffff:10.0.0.1", family: 6 },
      ])) as unknown as SafeFetchOptions["lookup"];
    await expect(make({ lookup })("http://mixed.example/")).rejects.toEqual(forbidden);
  });

  it.each(["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,x"])(
    "does not open %s",
    async (url) => {
      await expect(make()(url)).rejects.toEqual(forbidden);
      await expect(make()(redirect(url))).rejects.toEqual(forbidden);
    },
  );

  it("drops credentials when the origin changes", async () => {
    const fetch = make({ privateNetwork: true, headers: { "X-Api-Key": "secret" } });
    const headers = {
      authorization: "Bearer secret",
      cookie: "a=secret",
      "mcp-session-id": "secret",
      accept: "text/html",
    };
    await fetch(redirect(away), { method: "POST", body: "question", headers });
    const [first, second] = seen;
    expect(first?.headers).toMatchObject({ ...headers, "x-api-key": "secret" });
    expect(JSON.stringify(second?.headers)).not.toContain("secret");
    expect(second?.headers.accept).toBe("text/html");
    expect(second?.method).toBe("POST");
  });

  it("follows a 303 with GET, without the body", async () => {
    await make()(redirect(`${home}/next`, 303), { method: "POST", body: "question" });
    expect(seen.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("follows at most five redirects", async () => {
    const chain = (hops: number): string => (hops === 0 ? `${home}/end` : redirect(chain(hops - 1)));
    expect(await (await make()(chain(5))).text()).toBe("here");
    await expect(make()(chain(6))).rejects.toEqual(forbidden);
  });

  it('returns a redirect if `redirect` is "manual"', async () => {
    const response = await make()(redirect(away), { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([307, away]);
  });

  it("ends a response that is too large or too slow", async () => {
    const large = await listen("127.0.0.1", (_, response) => void response.end("x".repeat(10_001)));
    const slow = await listen("127.0.0.1", (_, response) => void response.write("x"));
    await expect(make()(large).then((response) => response.text())).rejects.toMatchObject({
      data: { code: "server-too-large" },
    });
    await expect(make({ timeout: 50 })(slow).then((response) => response.text())).rejects.toMatchObject({
      data: { code: "server-failed" },
    });
  });

  it("limits each event of an event stream, but not the stream", async () => {
    const stream = await listen("127.0.0.1", (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let n = 0; n < 100; n++) response.write(`data: ${"x".repeat(999)}\n\n`);
      response.end();
    });
    const endless = await listen("127.0.0.1", (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let n = 0; n < 100; n++) response.write(`data: ${"x".repeat(999)}\n`);
    });
    expect((await (await make()(stream)).text()).length).toBeGreaterThan(100_000);
    await expect(make()(endless).then((response) => response.text())).rejects.toMatchObject({
      data: { code: "server-too-large" },
    });
  });

  it("leaves no listener on a shared signal", async () => {
    const { signal } = new AbortController();
    const send = make();
    for (let count = 0; count < 20; count++) await (await send(home, { signal })).text();
    await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
  });

  it("aborts with its signal", async () => {
    const slow = await listen("127.0.0.1", () => {});
    await expect(make()(slow, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  });
});
