/** Examples of the doc comments here; compiled with the tests. */

import type { Models } from "@vitrine/conversation";
import { launch, ServerPool } from "@vitrine/servers";
import type { GatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedServers } from "../guard/guarded-servers.js";
import type { PageSession } from "../sessions/page-session.js";
import { ElicitationService } from "./elicitation-service.js";
import { type PageServicesOptions, pageServices } from "./page-services.js";
import { SamplingService } from "./sampling-service.js";
import { type AskServices, asksOf } from "./services.js";

interface Parts {
  readonly models: Models;
  readonly guard: GatewayGuard;
  readonly signal: AbortSignal;
  page(user: string): PageSession;
}

export async function samplingServiceExample({ models, guard, signal, page }: Parts) {
  //#region samplingService
  const service = new SamplingService({
    model: () => models.current,
    ask: (user, question, signal) =>
      page(user).request("gateway/sample", (id) => ({ ...question, id }), signal),
  });
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
    maxTokens: 50,
  };
  const { content, stopReason } = await service.fromServer(guard, params, signal);
  //#endregion samplingService
  return { content, stopReason };
}

export async function elicitationServiceExample({ guard, signal, page }: Parts) {
  //#region elicitationService
  const service = new ElicitationService({
    ask: (user, question, signal) =>
      page(user).request("gateway/elicit", (id) => ({ ...question, id }), signal),
  });
  const requestedSchema = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  };
  const params = { message: "Which city?", requestedSchema };
  const { action, content } = await service.fromServer(guard, params, signal);
  //#endregion elicitationService
  return { action, content };
}

export function pageServicesExample({ models, guard }: Parts, pageOf: PageServicesOptions["page"]) {
  //#region pageServices
  const services = pageServices({
    model: () => models.current,
    page: (user, view) => pageOf(user, view),
  });
  const asks = asksOf(() => guard, services);
  //#endregion pageServices
  return asks;
}

export function asksOfExample(services: AskServices, servers: GuardedServers) {
  //#region asksOf
  const pool = new ServerPool({
    launch,
    // A server that all users share has no user to ask.
    asks: (user, _settings, server) =>
      user === undefined ? undefined : asksOf(() => servers.guardOf(user, server()), services),
  });
  //#endregion asksOf
  return pool;
}
