import { Refusal } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../../testing/gateway/http-stage.js";
import { failureOf, failureText } from "./http-error.js";

describe("errors on HTTP", () => {
  it.each([
    [new Refusal("tool-not-visible", "m"), 403, "tool-not-visible"],
    [new Refusal("denied", "m"), 403, "denied"],
    [new Refusal("method-unknown", "m"), 404, "method-unknown"],
    [new Refusal("too-large", "m"), 413, "too-large"],
    [new Refusal("rate-limited", "m", { retryAfter: 1500 }), 429, "rate-limited"],
    [new GatewayError("server-unknown", "m"), 404, "server-unknown"],
    [new GatewayError("conflict", "m"), 409, "conflict"],
    [new GatewayError("indeterminate", "m"), 409, "indeterminate"],
    [new GatewayError("server-unauthorized", "m"), 424, "server-unauthorized"],
    [new GatewayError("server-failed", "m"), 502, "server-failed"],
    [new GatewayError("server-exited", "m"), 502, "server-exited"],
    [new GatewayError("audit-failed", "m"), 503, "audit-failed"],
    [new GatewayError("overloaded", "m"), 503, "overloaded"],
    [new GatewayError("stopping", "m"), 503, "stopping"],
    [new VitrineError("timeout", "m"), 504, "timeout"],
    [new VitrineError("closed", "m"), 503, "closed"],
    [new VitrineError(-32602, "m"), 422, "server-error"],
    [new VitrineError(-32603, "m"), 502, "server-error"],
  ])("%o has status %i and code %s", (error, status, code) => {
    expect(failureOf(error)).toMatchObject({ status, code, message: "m" });
  });

  it("give the time to retry, in seconds", () => {
    expect(failureOf(new Refusal("rate-limited", "m", { retryAfter: 1500 }))).toMatchObject({
      headers: { "retry-after": "2" },
      data: { retryAfter: 1500 },
    });
    expect(failureOf(new GatewayError("overloaded", "m")).headers).toEqual({ "retry-after": "1" });
  });

  it("of a server say in the same place as all others that the call may have run", () => {
    const data = { indeterminate: true, detail: 1 };
    expect(failureOf(new VitrineError(-32603, "m", { data })).data).toEqual({
      code: -32603,
      data,
      indeterminate: true,
    });
    expect(
      failureOf(new VitrineError(-32603, "m", { data: { indeterminate: "yes" } })).data,
    ).not.toHaveProperty("indeterminate");
  });

  it("contain further data, and that of a server", () => {
    const error = new GatewayError("server-failed", "m", { data: { server: "weather" } });
    expect(JSON.parse(failureText(failureOf(error)))).toEqual({
      error: { code: "server-failed", message: "m", data: { server: "weather" } },
    });
    expect(failureOf(new VitrineError(-32602, "m", { data: { field: "x" } })).data).toEqual({
      code: -32602,
      data: { field: "x" },
    });
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(JSON.parse(failureText(failureOf(new VitrineError(1, "m", { data: cycle })))).error.code).toBe(
      "server-error",
    );
  });

  it("do not reveal the message of an unexpected error, except in the log", async () => {
    const stage = await openStage({
      api: {
        catalogue: async () => {
          throw new Error("password 1234");
        },
      },
    });
    const { host, authorization } = stage.program;
    const { status, text } = await stage.ask("/api/servers/weather", { headers: { host, authorization } });
    await stage.listener.close(0);
    expect(status).toBe(500);
    expect(JSON.parse(text).error).toEqual({
      code: "internal",
      message: "internal error; see the gateway's log",
      data: { trace: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(stage.logged.join("")).toContain("password 1234");
  });
});
