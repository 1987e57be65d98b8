/** Examples of the doc comments here; compiled with the tests. */

import type { Models } from "@vitrine/conversation";
import { launch, ServerPool } from "@vitrine/servers";
import type { AuditSettings } from "../config/config.js";
import type { PageSession } from "../sessions/page-session.js";
import type { Store } from "../store/store.js";
import { ElicitationService } from "./elicitation-service.js";
import { type PageServicesOptions, pageServices } from "./page-services.js";
import { SamplingService } from "./sampling-service.js";
import { type AskServices, asksOf } from "./services.js";

interface Parts {
  readonly models: Models;
  readonly store: Store;
  readonly settings: { readonly audit: AuditSettings };
  readonly signal: AbortSignal;
  page(user: string): PageSession;
}

export async function samplingServiceExample({ models, store, settings, signal, page }: Parts) {
  //#region samplingService
  const service = new SamplingService({
    model: () => models.current,
    ask: (user, question, signal) =>
      page(user).request("gateway/sample", (id) => ({ ...question, id }), signal),
    audit: store.audit,
    settings,
  });
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
    maxTokens: 50,
  };
  const { content, stopReason } = await service.fromServer({ user: "ana", server: "notes" }, params, signal);
  //#endregion samplingService
  return { content, stopReason };
}

export async function elicitationServiceExample({ store, settings, signal, page }: Parts) {
  //#region elicitationService
  const service = new ElicitationService({
    ask: (user, question, signal) =>
      page(user).request("gateway/elicit", (id) => ({ ...question, id }), signal),
    audit: store.audit,
    settings,
  });
  const requestedSchema = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  };
  const params = { message: "Which city?", requestedSchema };
  const asker = { user: "ana", server: "weather" };
  const { action, content } = await service.fromServer(asker, params, signal);
  //#endregion elicitationService
  return { action, content };
}

export function pageServicesExample(
  { models, store }: Parts,
  settings: ReturnType<PageServicesOptions["settings"]>,
  pageOf: PageServicesOptions["page"],
) {
  //#region pageServices
  const services = pageServices({
    model: () => models.current,
    page: (user, view) => pageOf(user, view),
    settings: () => settings,
    audit: store.audit,
  });
  const asks = asksOf({ user: "ana", server: "notes" }, services);
  //#endregion pageServices
  return asks;
}

export function asksOfExample(services: AskServices) {
  //#region asksOf
  const pool = new ServerPool({
    launch,
    // A server that all users share has no user to ask.
    asks: (user, { name }) => (user === undefined ? undefined : asksOf({ user, server: name }, services)),
  });
  //#endregion asksOf
  return pool;
}
