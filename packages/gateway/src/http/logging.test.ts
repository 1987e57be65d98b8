import { VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../../testing/gateway/http-stage.js";
import { createLog } from "./logging.js";
import { ROUTES } from "./routes.js";

function setUp(level?: "debug") {
  const lines: string[] = [];
  const log = createLog({ level, stream: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "{}") };
}

describe("the log", () => {
  it("writes JSON lines, from `info` on by default", () => {
    const { log, lines, last } = setUp();
    log.debug("no");
    log.info({ server: "weather", count: 2 }, "started");
    expect(lines).toHaveLength(1);
    expect(last()).toEqual({
      level: "info",
      time: expect.any(String),
      server: "weather",
      count: 2,
      msg: "started",
    });
    setUp("debug").log.debug("yes");
  });

  it("keeps the codes and causes of errors", () => {
    const { log, last } = setUp();
    const cause = new VitrineError("timeout", "no answer");
    log.error({ err: new GatewayError("server-failed", "it does not start", { cause }) }, "failed");
    expect(last().err).toMatchObject({
      message: "it does not start",
      code: -32050,
      stack: expect.stringContaining("logging.test"),
      cause: { code: "timeout", message: "no answer" },
    });
    log.error(new Error("alone"));
    expect(last().err.message).toBe("alone");
  });

  it("removes secrets at any depth", () => {
    const { log, lines } = setUp();
    const s = "S3CRET";
    log.info(
      { authorization: s, headers: { Cookie: s }, deep: [{ token: s, access_token: s, password: s }] },
      "a",
    );
    log.info(
      { code: `${s}-4711`, state: s, tokenHash: s, client_secret: s, url: `/login?code=${s}`, key: s },
      "b",
    );
    log.info(`GET /login?code=${s} and https://user:${s}@as.example/cb?state=${s}#x`);
    log.info(
      { what: `Authorization: Bearer ${s}`, more: `Cookie: vitrine-80=${s}; __Host-vitrine=${s}` },
      "c",
    );
    const cause = new Error(`fetch https://as.example/token?refresh_token=${s} failed`);
    log.error({ err: new Error(`Bearer ${s} refused`, { cause }) }, "d");
    log.child({ token: s }).info("e");
    log.info({ a: { b: { c: { d: { e: { f: { token: s } } } } } } }, "f");
    expect(lines).toHaveLength(7);
    expect(lines.join("")).not.toContain(s);
  });

  it("contains no secret of any request, for any route", async () => {
    const secret = "zq9SECRETzq9";
    const fail = async (): Promise<never> => {
      throw new Error(`GET https://as.example/?code=${secret} with Bearer ${secret}`);
    };
    const stage = await openStage({ api: { catalogue: fail, authorized: fail, request: fail } });
    const link = new URL(stage.listener.loginUrl());
    const cookie = await stage.signIn();
    const { host, origin } = stage.program;
    const credentials = [
      { authorization: stage.program["authorization"], "idempotency-key": secret },
      { cookie },
      { authorization: `Bearer ${secret}`, cookie: `vitrine-${stage.listener.port}=${secret}` },
      { authorization: secret, "x-api-key": secret, referer: `${origin}/login?code=${secret}` },
    ];
    for (const route of ROUTES) {
      for (const credential of credentials) {
        if (route.endless || route.id === "logout") continue;
        const path = route.path.replace("{server}", "weather").replace("{file}", secret);
        const body = route.accepts ? { body: JSON.stringify(route.body?.example ?? {}) } : {};
        const type = route.accepts ? { "content-type": route.accepts } : {};
        await stage.ask(`${path}?code=${secret}&token=${secret}`, {
          method: route.method,
          headers: { host, origin, ...type, ...credential },
          ...body,
        });
        await stage.ask(`${path}${secret}?state=${secret}`, {
          method: "PUT",
          headers: { host, ...credential },
        });
      }
    }
    await stage.upgrade({ host, origin, authorization: `Bearer ${secret}` }, `/api/session?key=${secret}`);
    await stage.ask(`${link.pathname}${link.search}`, { headers: { host } });
    await stage.listener.close(0);
    const log = stage.logged.join("");
    // It contains lines, but none of the secrets.
    expect(stage.logged.length).toBeGreaterThan(ROUTES.length * 4);
    expect(log).toContain("/api/servers/{server}/tools/call");
    expect(log).not.toContain(secret);
    expect(log).not.toContain(stage.auth.token);
    expect(log).not.toContain(link.searchParams.get("code"));
    expect(log).not.toContain(cookie.split("=")[1]);
    expect(stage.metrics.text()).not.toContain(secret);
  });
});
