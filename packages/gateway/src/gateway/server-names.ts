/**
 * Tells people when a name means another server than before (attack E01).
 *
 * @module
 */

import type { ServerSettings } from "@vitrine/servers";
import type { ServerSummary } from "@vitrine/wire";
import type { Log } from "../http/logging.js";
import type { PageSession } from "../sessions/page-session.js";
import type { AuditLog, KnownServers, ServerChange, ServerKey } from "../store/store.js";

/** The parts of the gateway that {@link ServerNames} uses. */
export interface ServerNamesOptions {
  readonly known: KnownServers;
  readonly audit: Pick<AuditLog, "mark">;
  readonly log: Log;
  pages(): Iterable<Pick<PageSession, "tellServer">>;
}

/** Which server has which name now, and what people should know about it. */
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

  /** Notes which servers there are now. Resolves when that is on disk, and on record. */
  async take(servers: ReadonlyMap<string, ServerSettings>): Promise<void> {
    const { known } = this.#options;
    const recorded = (await known.take(servers.values())).map((change) => this.#changed(change));
    // Servers that took their names earlier, when nobody looked: at a start without a page, say.
    for (const news of known.untold()) {
      const isThere = servers.get(news.name)?.identity === news.identity;
      if (isThere && this.noticeOf(news) === undefined) this.#notify(news);
    }
    await Promise.all(recorded);
  }

  /** Notices for people: another server may have taken the name of one. */
  noticeOf({ name, identity }: ServerKey): string | undefined {
    const notice = this.#notices.get(name);
    return notice?.identity === identity ? notice.sentence : undefined;
  }

  /** Servers as a page shows them. Once a page shows a notice, it is not repeated at the next start. */
  shown(summaries: ServerSummary[], page: Pick<PageSession, "isConnected">): ServerSummary[] {
    const { known, log } = this.#options;
    for (const { name, identity, notice } of page.isConnected ? summaries : [])
      if (notice !== undefined && identity !== undefined)
        known.told({ name, identity }).catch((error: unknown) => {
          log.error({ err: error, server: name }, "it could not be stored that a page shows the notice");
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
      log.error({ err: error, server: name }, "which server has the name could not be recorded");
    });
  }

  /** In the log, and in every page. */
  #notify(change: ServerChange): void {
    const { name, identity } = change;
    const sentence = sentenceOf(change);
    this.#options.log.warn({ server: name, identity }, sentence);
    this.#notices.set(name, { name, identity, sentence });
    for (const page of this.#options.pages()) page.tellServer(name);
  }
}

const sentenceOf = ({ name, kind }: ServerChange): string => `"${name}" ${SENTENCES[kind]}`;

const SENTENCES: Readonly<Record<ServerChange["kind"], string>> = {
  back: "is again a server that had this name earlier. It has its own data and permissions of that time, not those of the server in between.",
  replaced:
    "is not the server that had this name before. It asks for permissions again, and does not get data or results of the other one.",
  inherited:
    "has what was stored under this name before the gateway knew servers by identity. No other server of this name gets it.",
};
