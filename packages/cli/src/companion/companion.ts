/**
 * The companion: an MCP server in front of other servers. It shows their apps to the user, and informs an
 * agent about the user's actions.
 *
 * @module
 */
import type { ServerNotifier } from "@modelcontextprotocol/server";
import { Listeners } from "@vitrine/protocol";
import { appAddress } from "./addresses.js";
import type { Agent } from "./agent.js";
import type { CompanionApp, CompanionHost, News } from "./companion-host.js";
import { Directory } from "./directory.js";
import { Inbox } from "./inbox.js";

/** Receives notifications about changed lists and resources. */
export type Audience = Pick<
  ServerNotifier,
  "toolsChanged" | "resourcesChanged" | "resourceUpdated" | "promptsChanged"
>;

/**
 * State that all clients share: one list of tools, one conversation, one user.
 *
 * @example
 * ```ts source="./companion.examples.ts#companion"
 * const companion = new Companion(host);
 * const serving = await serveByHttp(companion, { port: 8190, token });
 * ```
 */
export class Companion {
  readonly host: CompanionHost;
  readonly directory: Directory;
  readonly inbox = new Inbox();
  readonly #audiences: Listeners<[tell: (audience: Audience) => void]>;
  readonly #stops: (() => void)[];
  /** The last published state of each app, by number. */
  #told = new Map<number, string>();
  #toldTools = "[]";
  readonly #lasting = new Set<Agent>();
  #passing: Agent | undefined;
  #toldAgents = "[]";

  /** @param onerror called with errors of audiences */
  constructor(host: CompanionHost, onerror?: (error: unknown) => void) {
    this.host = host;
    this.#audiences = new Listeners(onerror);
    this.directory = new Directory(host, onerror);
    this.inbox.onread = () => host.received();
    this.#stops = [
      this.directory.onChange((updated) => {
        this.#tell((audience) => audience.toolsChanged());
        this.#tell((audience) => audience.resourcesChanged());
        this.#tell((audience) => audience.promptsChanged());
        for (const uri of updated) this.#tell((audience) => audience.resourceUpdated(uri));
      }),
      host.onNews((news) => this.#hear(news)),
      host.onApps(() => this.#look()),
      () => this.directory.close(),
    ];
  }

  /** Adds a receiver of change notifications; returns a function that removes it. */
  attend(audience: Audience): () => void {
    return this.#audiences.add((tell) => tell(audience));
  }

  /**
   * Registers an agent under its display name. Returns a function that unregisters it. Without a connection,
   * nobody knows when an agent is gone, so the last caller is shown.
   */
  serve(agent: Agent, isLasting: boolean): () => void {
    if (!isLasting) this.#passing = agent;
    else this.#lasting.add(agent);
    this.#tellAgents();
    return () => {
      this.#lasting.delete(agent);
      this.#tellAgents();
    };
  }

  #tellAgents(): void {
    const all = [...this.#lasting, ...(this.#passing ? [this.#passing] : [])];
    const names = JSON.stringify([...new Set(all.map(({ label }) => label))]);
    if (names === this.#toldAgents) return;
    this.#toldAgents = names;
    this.host.setAgents(JSON.parse(names) as string[]);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#audiences.clear();
  }

  #hear(news: News): void {
    this.inbox.add(news);
    const { from } = news;
    if (from) this.#tell((audience) => audience.resourceUpdated(appAddress(from.number)));
    this.#look();
  }

  /** Publishes changes of the apps. */
  #look(): void {
    const { apps } = this.host;
    const now = new Map(apps.map((app) => [app.number, JSON.stringify([app.isOpen, app.tools])]));
    const before = this.#told;
    this.#told = now;
    if ([...now.keys()].some((number) => !before.has(number)))
      this.#tell((audience) => audience.resourcesChanged());
    for (const [number, text] of now)
      if (before.has(number) && before.get(number) !== text)
        this.#tell((audience) => audience.resourceUpdated(appAddress(number)));
    const tools = JSON.stringify(apps.map(offeredBy));
    if (tools === this.#toldTools) return;
    this.#toldTools = tools;
    this.#tell((audience) => audience.toolsChanged());
  }

  #tell(tell: (audience: Audience) => void): void {
    this.#audiences.notify(tell);
  }
}

const offeredBy = ({ number, isOpen, tools }: CompanionApp): unknown[] =>
  isOpen && tools.length > 0 ? [number, tools] : [];
