import { writeFile } from "node:fs/promises";
import type { GatewayApi } from "./api.js";
import { Authentication } from "./auth.js";
import { listen } from "./listener.js";
import { createLog } from "./logging.js";
import { Metrics } from "./metrics.js";
import { gatewayMetrics } from "./metrics-gateway.js";
import { openApiOf } from "./openapi.js";
import type { SessionTransports } from "./route.js";
import { ROUTES } from "./routes.js";

export async function listenExample(
  api: GatewayApi,
  transports: SessionTransports,
  show: (link: string) => void,
) {
  //#region listen
  const metrics = new Metrics();
  const listener = await listen({
    port: 8090,
    api,
    auth: new Authentication(),
    transports,
    metrics,
    counts: gatewayMetrics(metrics),
    log: createLog(),
  });
  show(listener.loginUrl());
  // later
  await listener.close(10_000);
  //#endregion listen
}

export function authenticationExample(token: string, tokenHash: string) {
  //#region authentication
  const auth = new Authentication({ users: [{ name: "ada", tokenHash }] });
  const { caller } = auth.admit({ authorization: `Bearer ${token}` }, "vitrine", "127.0.0.1");
  // caller.user is "ada"
  //#endregion authentication
  return caller;
}

export function metricsExample(processes: Set<number>) {
  //#region metrics
  const metrics = new Metrics();
  const calls = metrics.counter("vitrine_calls_total", "Calls of servers.", ["server"]);
  calls.add({ server: "weather" });
  metrics.gauge("vitrine_processes", "Running server processes.", [], () => processes.size);
  const text = metrics.text();
  //#endregion metrics
  return text;
}

export function createLogExample() {
  //#region createLog
  const log = createLog({ level: "debug" });
  log.info({ server: "weather" }, "started");
  //#endregion createLog
  return log;
}

export async function openApiExample() {
  //#region openapi
  const document = openApiOf(ROUTES, "http://127.0.0.1:8090");
  await writeFile("openapi.json", JSON.stringify(document, null, 2));
  //#endregion openapi
}
