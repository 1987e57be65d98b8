/**
 * A page's session, wired to the parts of the gateway.
 *
 * @module
 */
import { PageSession } from "../sessions/page-session.js";
import { prepareView } from "../sessions/prepare-view.js";
import type { AboutSession, BrowserSession, SessionHandler } from "../sessions/registry.js";
import { restoreView } from "../sessions/restore-view.js";
import { showDocument } from "../sessions/show-document.js";
import { recordPolicy } from "./notes.js";
import type { GatewayParts } from "./parts.js";

/** Opens the session of a page. */
export function openPage(
  parts: GatewayParts,
  wire: BrowserSession,
  { user, id, mayBeOld }: AboutSession,
): SessionHandler {
  const { log, pages, servers, views } = parts;
  const { models, store } = parts.disk;
  const onerror = (error: unknown): void => log.error({ err: error, user }, "a page's request failed");
  const page: PageSession = new PageSession({
    user,
    wire,
    mayBeOld,
    testMode: parts.options.testMode,
    conversations: parts.conversations,
    known: store.servers,
    sampling: parts.services.sampling,
    models: {
      state: () => {
        void models.refresh();
        return models.state();
      },
      choose: (model) => models.choose(model),
    },
    summaries: () => parts.names.shown(servers.summaries(user), page),
    server: (name) => servers.get(user, name),
    pass: (call, effect) => servers.pass(call, effect),
    refuse: (call, error) => servers.refuse(call, error),
    catalogue: (name, who) => servers.catalogue(user, name, who),
    start: (name) => servers.start(user, name),
    restart: (name) => servers.restart(user, name),
    know: (view, { name, identity }, wanted) =>
      views.add(view, { user, server: name, identity, session: id, page, ...wanted }),
    forget: (view) => views.remove(view),
    prepare: async (view, at, wanted, signal) => {
      const opened = await prepareView(parts.origins(), view, at, wanted, signal, (uri) =>
        views.found(view, uri),
      );
      // Opening a view has no effect outside of the page, so it does not need its record.
      recordPolicy({ user, identity: at.server.settings.identity }, opened, log, store.audit).catch(onerror);
      return opened;
    },
    document: async (view, document) => showDocument(parts.place(), view, document),
    restore: async (opened, signal) =>
      restoreView(
        parts.origins(),
        (name) => servers.get(user, name),
        opened,
        signal,
        (uri) => views.found(opened.view, uri),
      ),
    closeDocument: (place) => void parts.sandbox?.sandbox.forget(place).catch(onerror),
    refused: parts.refused,
    onerror,
  });
  pages.add(user, page);
  return {
    onmessage: (channel, text) => page.receive(channel, text),
    onfresh: () => page.renewed(),
    ondrain: () => page.resume(),
    onend: () => {
      page.end();
      pages.remove(user, page);
      servers.endSession(user, id);
    },
  };
}
