/**
 * A page's session, wired to the parts of the gateway.
 *
 * @module
 */
import type { OAuthSession, ServerIdentity } from "@vitrine/servers";
import type { OpenedView, ServerCatalogue, ServerSummary, ViewPlace } from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { type PageOptions, PageSession } from "../sessions/page-session.js";
import { prepareView } from "../sessions/prepare-view.js";
import type { AboutSession, BrowserSession, SessionHandler } from "../sessions/registry.js";
import { restoreView } from "../sessions/restore-view.js";
import { showDocument } from "../sessions/show-document.js";
import type { ServerKey } from "../store/known-servers.js";
import { recordPolicy } from "./notes.js";
import type { GatewayParts } from "./parts.js";

/** Opens the session of a page. */
export const openPage = (parts: GatewayParts, wire: BrowserSession, about: AboutSession): SessionHandler =>
  new WiredPage(parts, wire, about);

/**
 * A page with everything that it needs. These are methods of a class and not closures, which every idle page would have its own
 * copies of.
 */
class WiredPage implements PageOptions, SessionHandler {
  readonly user: string;
  readonly wire: BrowserSession;
  readonly mayBeOld: boolean;
  readonly #parts: GatewayParts;
  readonly #session: string;
  readonly #page: PageSession;

  constructor(parts: GatewayParts, wire: BrowserSession, { user, id, mayBeOld }: AboutSession) {
    this.user = user;
    this.wire = wire;
    this.mayBeOld = mayBeOld;
    this.#parts = parts;
    this.#session = id;
    this.#page = new PageSession(this);
    parts.pages.add(user, this.#page);
  }

  onmessage(channel: string, text: string): void {
    this.#page.receive(channel, text);
  }

  onfresh(): void {
    this.#page.renewed();
  }

  ondrain(): void {
    this.#page.resume();
  }

  onend(): void {
    this.#page.end();
    this.#parts.pages.remove(this.user, this.#page);
    this.#parts.servers.endSession(this.user, this.#session);
  }

  get testMode(): boolean | undefined {
    return this.#parts.options.testMode;
  }

  get administration(): PageOptions["administration"] {
    return this.#parts.administration;
  }

  get conversations(): PageOptions["conversations"] {
    return this.#parts.conversations;
  }

  get known(): PageOptions["known"] {
    return this.#parts.disk.store.servers;
  }

  get sampling(): PageOptions["sampling"] {
    return this.#parts.services.sampling;
  }

  get models(): PageOptions["models"] {
    return this.#parts.pageModels;
  }

  get pass(): PageOptions["pass"] {
    return this.#parts.pass;
  }

  get refuse(): PageOptions["refuse"] {
    return this.#parts.refuse;
  }

  get refused(): PageOptions["refused"] {
    return this.#parts.refused;
  }

  summaries(): ServerSummary[] {
    const { names, servers } = this.#parts;
    return names.shown(servers.summaries(this.user), this.#page);
  }

  server(name: string, identity?: ServerIdentity): GuardedServer {
    const { servers } = this.#parts;
    return identity === undefined
      ? servers.get(this.user, name)
      : servers.getSame(this.user, { name, identity });
  }

  get capabilities(): PageOptions["capabilities"] {
    return this.#parts.capabilities;
  }

  declarable(...[guard]: Parameters<PageOptions["declarable"]>): ReturnType<PageOptions["declarable"]> {
    return this.#parts.asksOf(() => guard).capabilities();
  }

  get roots(): PageOptions["roots"] {
    return this.#parts.roots;
  }
  get tasks(): PageOptions["tasks"] {
    return this.#parts.tasks;
  }

  fields(): readonly string[] {
    return this.#parts.settings.audit.redact;
  }

  isShared(name: string): boolean {
    return this.#parts.isShared(name);
  }

  oauthSession(...[name, settings]: Parameters<PageOptions["oauthSession"]>): OAuthSession | undefined {
    const { oauth, pool } = this.#parts;
    return pool.canSignIn(name) ? oauth.for(this.user, name, settings) : undefined;
  }

  async markSignIn(...[{ name, identity }, method]: Parameters<PageOptions["markSignIn"]>): Promise<void> {
    const { audit } = this.#parts.disk.store;
    await audit.mark({ user: this.user, server: name, identity, method, reason: "requested by a page" });
  }

  catalogue(name: string, who?: Parameters<PageOptions["catalogue"]>[1]): Promise<ServerCatalogue> {
    return this.#parts.servers.catalogue(this.user, name, who);
  }

  start(name: string): Promise<ServerSummary> {
    return this.#parts.servers.start(this.user, name);
  }

  restart(name: string): Promise<ServerSummary> {
    return this.#parts.servers.restart(this.user, name);
  }

  know(view: string, { name, identity }: ServerKey, wanted: Parameters<PageOptions["know"]>[2]): void {
    const session = this.#session;
    const { user } = this;
    this.#parts.views.add(view, { user, server: name, identity, session, page: this.#page, ...wanted });
  }

  forget(view: string): void {
    this.#parts.views.remove(view);
  }

  async prepare(...[view, at, wanted, signal]: Parameters<PageOptions["prepare"]>): Promise<OpenedView> {
    const { views, log, disk } = this.#parts;
    const found = (uri: string): void => views.found(view, uri);
    const opened = await prepareView(this.#parts.origins(), view, at, wanted, signal, found);
    // Opening a view has no effect outside of the page, so it does not need its record.
    const about = { user: this.user, identity: at.server.settings.identity };
    recordPolicy(about, opened, log, disk.store.audit).catch((error: unknown) => this.onerror(error));
    return opened;
  }

  async document(...[view, document]: Parameters<PageOptions["document"]>): Promise<OpenedView> {
    return showDocument(this.#parts.place(), view, document);
  }

  async restore(opened: OpenedView, signal: AbortSignal): Promise<OpenedView> {
    const { views } = this.#parts;
    return restoreView(
      this.#parts.origins(),
      (name) => this.server(name),
      opened,
      signal,
      (uri) => views.found(opened.view, uri),
    );
  }

  closeDocument(place: ViewPlace): void {
    void this.#parts.sandbox?.sandbox.forget(place).catch((error: unknown) => this.onerror(error));
  }

  onerror(error: unknown): void {
    this.#parts.log.error({ err: error, user: this.user }, "a page's request failed");
  }
}
