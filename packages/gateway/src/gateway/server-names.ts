/**
 * Notifies users when a name refers to another server than before.
 *
 * @module
 */

import type { ServerSettings } from "@vitrine/servers";
import type { ServerSummary } from "@vitrine/wire";
import type { Log } from "../http/logging.js";
import type { PageSession } from "../sessions/page-session.js";
import type { KnownServers, ServerChange, ServerKey } from "../store/known-servers.js";
import type { AuditLog } from "../store/store.js";

/** The parts of the gateway that {@link ServerNames} uses. */
export interface ServerNamesOptions {
  readonly known: KnownServers;
  readonly audit: Pick<AuditLog, "mark">;
  readonly log: Log;
  pages(): Iterable<Pick<PageSession, "notifyServer">>;
}

/** Which server has which name, and the notices about it. */
export class ServerNames {
  readonly #options: ServerNamesOptions;
  /** By name. */
  readonly #notices = new Map<string, ServerKey & { readonly sentence: string }>();

  constructor(options: ServerNamesOptions) {
    this.#options = options;
    options.known.onlate = (changes) => {
      for (const change of changes) void this.#changed(change);
    };
  }

  /** Records the current servers. Resolves when that is on disk and in the audit log. */
  async take(servers: ReadonlyMap<string, ServerSettings>): Promise<void> {
    const { known } = this.#options;
    const recorded = (await known.take(servers.values())).map((change) => this.#changed(change));
    // Servers that took their names earlier, when no page was open.
    for (const news of known.unannounced()) {
      const isThere = servers.get(news.name)?.identity === news.identity;
      if (isThere && this.noticeOf(news) === undefined) this.#notify(news);
    }
    await Promise.all(recorded);
  }

  /** The notice for users if another server may have taken the name. */
  noticeOf({ name, identity }: ServerKey): string | undefined {
    const notice = this.#notices.get(name);
    return notice?.identity === identity ? notice.sentence : undefined;
  }

  /** Servers as a page shows them. Once a page has shown a notice, it is not repeated at the next start. */
  shown(summaries: ServerSummary[], page: Pick<PageSession, "isConnected">): ServerSummary[] {
    const { known, log } = this.#options;
    for (const { name, identity, notice } of page.isConnected ? summaries : [])
      if (notice !== undefined && identity !== undefined)
        known.announced({ name, identity }).catch((error: unknown) => {
          log.error({ err: error, server: name }, "could not store that a page has shown the notice");
        });
    return summaries;
  }

  async #changed(change: ServerChange): Promise<void> {
    const { audit, log } = this.#options;
    const { name, identity, kind } = change;
    const isInherited = kind === "inherited";
    if (isInherited) log.info({ server: name, identity }, sentenceOf(change));
    else this.#notify(change);
    const method = isInherited ? "server/inherited" : "server/replaced";
    await audit.mark({ server: name, identity, method, reason: kind }).catch((error: unknown) => {
      log.error({ err: error, server: name }, "the server of this name could not be recorded");
    });
  }

  /** Writes the notice to the log, and sends it to every page. */
  #notify(change: ServerChange): void {
    const { name, identity } = change;
    const sentence = sentenceOf(change);
    this.#options.log.warn({ server: name, identity }, sentence);
    this.#notices.set(name, { name, identity, sentence });
    for (const page of this.#options.pages()) page.notifyServer(name);
  }
}

const sentenceOf = ({ name, kind }: ServerChange): string => `"${name}" ${SENTENCES[kind]}`;

const SENTENCES: Readonly<Record<ServerChange["kind"], string>> = {
  back: "is again a server that had this name earlier. It gets its own earlier data and permissions, not those of the server in between.",
  replaced:
    "is not the server that had this name before. It asks for permissions again, and gets no data or results of the other one.",
  inherited:
    "gets the data that was stored under this name before the gateway used identities. No other server of this name gets it.",
};
