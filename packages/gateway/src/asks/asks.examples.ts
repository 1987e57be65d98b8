/** Examples of the doc comments here; compiled with the tests. */

import type { Models } from "@vitrine/conversation";
import { launch, ServerPool } from "@vitrine/servers";
import type { AuditSettings } from "../config/config.js";
import type { PageSession } from "../sessions/page-session.js";
import type { Store } from "../store/store.js";
import { asksOf, type Desks } from "./desks.js";
import { ElicitationDesk } from "./elicitation-desk.js";
import { type PageDesksOptions, pageDesks } from "./page-desks.js";
import { SamplingDesk } from "./sampling-desk.js";

interface Parts {
  readonly models: Models;
  readonly store: Store;
  readonly settings: { readonly audit: AuditSettings };
  readonly signal: AbortSignal;
  page(user: string): PageSession;
}

export async function samplingDeskExample({ models, store, settings, signal, page }: Parts) {
  //#region samplingDesk
  const desk = new SamplingDesk({
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
  const { content, stopReason } = await desk.fromServer({ user: "ana", server: "notes" }, params, signal);
  //#endregion samplingDesk
  return { content, stopReason };
}

export async function elicitationDeskExample({ store, settings, signal, page }: Parts) {
  //#region elicitationDesk
  const desk = new ElicitationDesk({
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
  const { action, content } = await desk.fromServer(asker, params, signal);
  //#endregion elicitationDesk
  return { action, content };
}

export function pageDesksExample(
  { models, store }: Parts,
  settings: ReturnType<PageDesksOptions["settings"]>,
  pageOf: PageDesksOptions["page"],
) {
  //#region pageDesks
  const desks = pageDesks({
    model: () => models.current,
    page: (user, view) => pageOf(user, view),
    settings: () => settings,
    audit: store.audit,
  });
  const asks = asksOf({ user: "ana", server: "notes" }, desks);
  //#endregion pageDesks
  return asks;
}

export function asksOfExample(desks: Desks) {
  //#region asksOf
  const pool = new ServerPool({
    launch,
    // A server that all users share has no user to ask.
    asks: (user, { name }) => (user === undefined ? undefined : asksOf({ user, server: name }, desks)),
  });
  //#endregion asksOf
  return pool;
}
