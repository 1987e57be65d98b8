/** Checks docs/gateway/http.md against the code. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../../testing/gateway/http-stage.js";
import { STATUSES } from "./http-error.js";
import { Metrics } from "./metrics.js";
import { gatewayMetrics } from "./metrics-gateway.js";
import { ROUTES } from "./routes.js";

const text = readFileSync(new URL("../../../../docs/gateway/http.md", import.meta.url), "utf8");
const commands = [...text.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, command = ""]) => command);

describe("docs/gateway/http.md", () => {
  it("has commands that work", async () => {
    const { listener, auth, calls } = await openStage();
    const env = { PATH: process.env["PATH"], GATEWAY: listener.origin, TOKEN: auth.token };
    for (const command of commands) {
      const { stdout } = await promisify(execFile)("bash", ["-euc", command], { env });
      expect([command, stdout.startsWith("{")]).toEqual([command, true]);
    }
    await listener.close(0);
    expect(calls.map(([name]) => name)).toEqual([
      "servers",
      "tools/call",
      "resources/read",
      "tools/list",
      "resources/list",
      "resources/templates/list",
      "prompts/list",
      "audit",
      "rows",
      "verify",
      "revoke",
    ]);
  });

  it("has every route", () => {
    const logged = [...text.matchAll(/^\| `((?:GET|POST|DELETE) [^`]+)` \|/gm)].map(([, route]) => route);
    expect(logged.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it("has every error code, with its status", () => {
    const rows = [...text.matchAll(/^\| ([45]\d\d) \| (.+) \|$/gm)];
    const logged = rows.flatMap(([, status, words = ""]) =>
      [...words.matchAll(/`([a-z-]+)`/g)].map(([, word = ""]) => [word, Number(status)] as const),
    );
    const known = { ...STATUSES, internal: 500 };
    expect(Object.fromEntries(logged.filter(([word]) => word !== "retry-after"))).toEqual(known);
  });

  it("has every metric", () => {
    const metrics = new Metrics();
    gatewayMetrics(metrics);
    const known = [...metrics.text().matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    expect([...text.matchAll(/^\| `(vitrine_\w+)`/gm)].map(([, name]) => name)).toEqual(known);
  });
});
