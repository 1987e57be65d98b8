/**
 * The apps of a conversation, numbered for an agent.
 *
 * @module
 */
import type { AppContext, CallItem, SpeakingApp } from "@vitrine/wire";
import type { OpenApp } from "./companion-gateway.js";
import type { CompanionApp, MessageAuthor } from "./companion-host.js";

/** An app, open or closed. */
interface ShownApp {
  readonly number: number;
  readonly server: string;
  readonly tool: string;
  title: string;
}

/** Maximum number of remembered apps. The oldest closed ones are dropped. */
const MOST = 100;

/** Tracks apps by their conversation entries. */
export class ShownApps {
  readonly #apps = new Map<string, ShownApp>();
  #open = new Map<string, OpenApp>();
  #contexts = new Map<string, AppContext>();
  #last = 0;

  /** All apps, in the order in which they were shown. */
  get all(): CompanionApp[] {
    return [...this.#apps].map(([item, app]) => this.#appOf(item, app));
  }

  /** The app of an entry. */
  find(item: string): CompanionApp | undefined {
    const app = this.#apps.get(item);
    return app && this.#appOf(item, app);
  }

  /** The view in which an app is open. */
  viewOf(number: number): string | undefined {
    const found = [...this.#apps].find(([, app]) => app.number === number);
    return found && this.#open.get(found[0])?.view;
  }

  /** Registers the app of a call. */
  show({ id, server, tool }: Pick<CallItem, "id" | "server" | "tool">, title = tool): CompanionApp {
    let app = this.#apps.get(id);
    if (!app) this.#apps.set(id, (app = { number: ++this.#last, server, tool, title }));
    this.#forget();
    return this.#appOf(id, app);
  }

  /** The author of a message; an unknown app gets its number now. */
  speaker(app: SpeakingApp | undefined): MessageAuthor {
    if (!app) return undefined;
    const known = this.#apps.get(app.item) ?? this.#named(app);
    known.title = app.title;
    const { number, server, title } = known;
    return { number, server, title };
  }

  /** Whether an app is open in this view. */
  shows(view: string): boolean {
    return [...this.#open.values()].some((each) => each.view === view);
  }

  /** Sets the open apps. Returns those that were closed, with their entries. */
  setOpen(open: readonly OpenApp[]): (NonNullable<MessageAuthor> & { item: string })[] {
    const before = this.#open;
    for (const { app } of open) this.speaker(app);
    this.#open = new Map(open.map((each) => [each.app.item, each]));
    return [...before].flatMap(([item, { app }]) => {
      const speaker = this.#open.has(item) ? undefined : this.speaker(app);
      return speaker ? [{ ...speaker, item }] : [];
    });
  }

  isOpen(number: number): boolean {
    return this.viewOf(number) !== undefined;
  }

  /** Sets the model contexts of the apps. Returns the changed ones. */
  setContexts(contexts: readonly AppContext[]): AppContext[] {
    const before = this.#contexts;
    this.#contexts = new Map(contexts.map((each) => [each.item, each]));
    // Closed apps are reported separately.
    return contexts.filter((each) => !each.isStale && said(each) !== said(before.get(each.item)));
  }

  /** Starts another conversation, in which no app is open. */
  clear(): void {
    this.#open = new Map();
    this.#contexts = new Map();
  }

  #named({ item, server, title }: SpeakingApp): ShownApp {
    this.show({ id: item, server, tool: title }, title);
    return this.#apps.get(item) as ShownApp;
  }

  #appOf(item: string, { number, server, tool, title }: ShownApp): CompanionApp {
    const open = this.#open.get(item);
    const context = this.#contexts.get(item);
    return { number, server, tool, title, isOpen: open !== undefined, tools: open?.tools ?? [], context };
  }

  #forget(): void {
    if (this.#apps.size <= MOST) return;
    const closed = [...this.#apps.keys()].find((item) => !this.#open.has(item));
    if (closed !== undefined) this.#apps.delete(closed);
  }
}

const said = (context: AppContext | undefined): string | undefined =>
  context && JSON.stringify([context.content, context.structuredContent, context.isStale]);
