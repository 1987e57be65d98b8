/** Operators follow a call from its caller to the server, and read logs and metrics of a real process. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { GatewayClient } from "@vitrine/host/gateway";
import { recordOf } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FaultStage } from "../../../testing/gateway/fault-stage.ts";
import type { StoredAuditRow } from "./store/store.ts";

const ECHO = fileURLToPath(new URL("../../../testing/gateway/echo-meta-server.mjs", import.meta.url));
const SCRAPER = "a-token-that-only-reads-metrics";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const remote = spawn(process.execPath, [ECHO, "http"], { stdio: ["ignore", "pipe", "inherit"] });
let stage: FaultStage;
let page: GatewayClient;
beforeAll(async () => {
  const [address] = await once(remote.stdout, "data");
  const policy = { "tools/call": "allow" };
  const echo = { command: process.execPath, args: [ECHO], isolation: "process", policy };
  stage = await FaultStage.open({
    log: { access: true },
    metrics: { tokenHash: createHash("sha256").update(SCRAPER).digest("hex") },
    mcpServers: { echo, remote: { url: `${address}`.trim(), oauth: false, policy } },
  });
  page = await stage.page();
});
afterAll(async () => {
  remote.kill();
  await stage.close();
});

const post = (server: string, headers: Record<string, string> = {}, name = "meta") =>
  stage.fetch(`/api/servers/${server}/tools/call`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ name, arguments: {} }),
  });
/** The `_meta` and the header that the server got. */
const gotBy = (result: unknown): { meta: Record<string, unknown>; header?: string } =>
  JSON.parse(String(recordOf([recordOf(result)["content"]].flat()[0])["text"]));
const rowsOf = async (trace: string): Promise<StoredAuditRow[]> =>
  ((await (await stage.fetch(`/api/audit?trace=${trace}`)).json()) as { rows: StoredAuditRow[] }).rows;
const lines = (msg: string): Record<string, unknown>[] =>
  stage.log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === msg);

describe("a trace", () => {
  it.each(["echo", "remote"])(
    "goes from a program to the server %s, into the answer, audit and log",
    async (server) => {
      const response = await post(server, { traceparent: SENT });
      expect(response.headers.get("traceresponse")).toMatch(
        new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
      );
      const { meta, header } = gotBy(await response.json());
      expect(meta["traceparent"]).toBe(response.headers.get("traceresponse"));
      if (server === "remote") expect(header).toBe(meta["traceparent"]);
      await expect.poll(async () => (await rowsOf(TRACE)).length).toBeGreaterThan(0);
      expect((await rowsOf(TRACE)).at(-1)).toMatchObject({ server, method: "tools/call", trace: TRACE });
      await expect
        .poll(() => lines("request"))
        .toContainEqual(
          expect.objectContaining({
            route: "/api/servers/{server}/tools/call",
            trace: TRACE,
            user: "ann",
            status: 200,
          }),
        );
      await expect
        .poll(() => lines("call"))
        .toContainEqual(
          expect.objectContaining({
            server,
            method: "tools/call",
            trace: TRACE,
            outcome: "ok",
            actor: "http",
          }),
        );
    },
  );

  it("begins in the gateway if the caller has none, or an invalid one", async () => {
    const sent: Record<string, string>[] = [
      {},
      { traceparent: "00-zz" },
      { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` },
    ];
    for (const headers of sent) {
      const response = await post("echo", headers);
      const { meta } = gotBy(await response.json());
      expect(meta["traceparent"]).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
      expect(response.headers.get("traceresponse")).toBe(meta["traceparent"]);
    }
  });

  it("of a page's call is in the server's params, and in the error if it fails", async () => {
    const params = { server: "echo", name: "meta", arguments: {} };
    const { meta } = gotBy(await page.request("gateway/call", params));
    const trace = String(meta["traceparent"]).slice(3, 35);
    await expect.poll(() => rowsOf(trace)).toMatchObject([{ user: "ann", actor: "host", target: "meta" }]);
    const error = await page
      .request("gateway/call", { ...params, name: "exit" })
      .catch((reason: unknown) => reason);
    const failed = String(recordOf(recordOf(error)["data"])["trace"]);
    expect(failed).toMatch(/^[0-9a-f]{32}$/);
    await expect.poll(() => rowsOf(failed)).toMatchObject([{ target: "exit" }]);
    const refused = (await (await stage.fetch("/api/servers/none")).json()) as Record<string, unknown>;
    expect(recordOf(recordOf(refused["error"])["data"])["trace"]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("does not change the hash of a call: the same key with another trace is the same call", async () => {
    const headers = { "idempotency-key": "same" };
    const first = await (await post("echo", { ...headers, traceparent: SENT })).text();
    const again = await post("echo", { ...headers, traceparent: SENT.replace("4bf9", "5bf9") });
    expect([again.status, await again.text()]).toEqual([200, first]);
  });
});

describe("the log", () => {
  it("has a line for each request, without queries and secrets", async () => {
    await stage.fetch("/api/audit?limit=7&server=marker");
    await expect
      .poll(() => lines("request"))
      .toContainEqual(
        expect.objectContaining({
          method: "GET",
          route: "/api/audit",
          status: 200,
          user: "ann",
          ms: expect.any(Number),
          bytes: expect.any(Number),
          trace: expect.stringMatching(/^[0-9a-f]{32}$/),
        }),
      );
    expect(lines("request").find(({ route }) => route === "/api/audit")?.["bytes"]).toBeGreaterThan(100);
    expect(lines("request")).toContainEqual(expect.objectContaining({ route: "/api/session", status: 101 }));
    expect(stage.log).not.toContain("marker");
    expect(stage.log).not.toContain(stage.headers()["authorization"]?.slice(7));
  });

  it("follows the settings at once: its level, and whether requests are logged", async () => {
    stage.write({ ...stage.settings, log: { level: "debug", access: false } });
    await expect.poll(() => lines("settings applied").at(-1)).toMatchObject({ settings: ["log"] });
    await stage.fetch("/api/consents");
    await expect.poll(() => lines("served").map(({ route }) => route)).toContain("/api/consents");
    expect(lines("request").map(({ route }) => route)).not.toContain("/api/consents");
    stage.write({ ...stage.settings, log: { level: "info", access: true } });
    await expect.poll(() => lines("settings applied")).toHaveLength(2);
  });
});

describe("metrics", () => {
  const scrape = (path: string, token: string) =>
    fetch(`${stage.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });

  it("can be read with the scraper's token, which opens nothing else", async () => {
    expect((await scrape("/metrics", SCRAPER)).status).toBe(200);
    expect((await scrape("/metrics", `${SCRAPER}x`)).status).toBe(401);
    for (const path of ["/api/servers", "/api/audit", "/readyz", "/openapi.json", "/"])
      expect([path, (await scrape(path, SCRAPER)).status]).toEqual([path, 401]);
  });

  it("describe the process, and starts, crashes and waits of servers", async () => {
    await post("echo", {}, "exit");
    await post("echo");
    expect(await stage.metric("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(await stage.metric("process_resident_memory_bytes")).toBeGreaterThan(20_000_000);
    expect(await stage.metric("process_open_fds")).toBeGreaterThan(5);
    expect(await stage.metric("nodejs_active_resources")).toBeGreaterThan(0);
    await expect.poll(() => stage.metric("nodejs_eventloop_lag_seconds")).toBeGreaterThan(0);
    expect(await stage.metric("vitrine_server_starts_total")).toBeGreaterThan(1);
    expect(await stage.metric("vitrine_server_crashes_total")).toBeGreaterThan(0);
    expect(await stage.metric("vitrine_call_wait_seconds_count")).toBeGreaterThan(0);
  });
});
