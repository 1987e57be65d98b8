/**
 * The open apps of a conversation: the context that they give the model, and the tools that they offer it.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { sizeOf } from "@vitrine/guard";
import { INVALID_PARAMS, type Tool, VitrineError } from "@vitrine/protocol";
import type { Clock } from "@vitrine/servers/support";
import { type AppContext, GatewayError, type SpeakingApp } from "@vitrine/wire";
import type { AppParts } from "./fit-context.js";
import type { Journal } from "./journal.js";
import { contextParts } from "./model-view.js";
import { type AppTool, isTooLarge } from "./tool-names.js";

/** The context that an app provides. */
export type SaidContext = Pick<AppContext, "content" | "structuredContent">;

/** Options of {@link Apps}. */
export interface AppsOptions {
  readonly journal: Journal;
  readonly clock: Pick<Clock, "now">;
  /** Context updates of one app in ten seconds. */
  readonly limit: number;
  /** Called when an app updates its context too often. */
  onflood(app: SpeakingApp): void;
  /** Called when apps are opened or closed, or change their tools. */
  onchange(): void;
}

/** An app that is open in a page. */
export interface OpenAppState {
  readonly view: string;
  readonly app: SpeakingApp;
  readonly tools: readonly Tool[];
  /** Whether its page is connected. */
  readonly isThere: boolean;
}

/** Limits: bytes of a context, bytes of all contexts, and their number. */
const MAX_CONTEXT = 200_000;
const MAX_ALL = 2_000_000;
const MAX_CONTEXTS = 50;
/** Characters of a context that the model sees. */
const MAX_SEEN = 50_000;
const WINDOW = 10_000;
const MAX_TOOLS = 50;

interface OpenApp {
  readonly app: SpeakingApp;
  tools: readonly Tool[];
  isThere: () => boolean;
}

/** Stores the latest context of each app. */
export class Apps {
  readonly #options: AppsOptions;
  readonly #open = new Map<string, OpenApp>();
  readonly #numbers = new Map<string, number>();
  /** Context updates of each app in the last ten seconds. */
  readonly #spoken = new Map<string, { from: number; count: number }>();
  /** The contexts that the model knows, by entry, with the message parts that contained them. */
  readonly #known = new Map<string, { readonly context: AppContext; readonly parts: AppParts }>();
  readonly #sent = new Map<string, AppParts>();

  constructor(options: AppsOptions) {
    this.#options = options;
  }

  /** The app contexts that were sent with each user entry. */
  get sent(): ReadonlyMap<string, AppParts> {
    return this.#sent;
  }

  /** The app contexts that were sent, of apps that are still open. */
  get lasting(): AppParts[] {
    const open = this.#options.journal.contexts.filter(({ isStale }) => !isStale);
    return open.flatMap(({ item }) => {
      const known = this.#known.get(item);
      return known && !known.context.isStale ? [known.parts] : [];
    });
  }

  /** The number of the app of an entry. It stays the same as long as the conversation is in memory. */
  readonly numberOf = (item: string): number => {
    const number = this.#numbers.get(item) ?? this.#numbers.size + 1;
    this.#numbers.set(item, number);
    return number;
  };

  /** The tools that the model may call. An app that is open twice counts where it was opened last. */
  get tools(): AppTool[] {
    const latest = new Map([...this.#open].map(([view, open]) => [open.app.item, { view, ...open }]));
    return [...latest.values()].flatMap(({ view, app, tools }) =>
      tools.map((tool) => ({ view, app, number: this.numberOf(app.item), tool })),
    );
  }

  /** The open apps. An app that is open twice counts where it was opened last. */
  get open(): OpenAppState[] {
    const latest = new Map<string, OpenAppState>();
    for (const [view, { app, tools, isThere }] of this.#open) {
      // A page without a connection may be closed, so a connected page takes precedence.
      const open = { view, app, tools, isThere: isThere() };
      if (open.isThere || !latest.get(app.item)?.isThere) latest.set(app.item, open);
    }
    return [...latest.values()];
  }

  /** Records that an app was opened. */
  opened(view: string, app: SpeakingApp, isThere = () => true): void {
    this.#opened(view, app).isThere = isThere;
    this.#options.onchange();
  }

  isOpen(view: string): boolean {
    return this.#open.has(view);
  }

  /** The current definition of an app's tool. */
  toolOf(view: string, name: string): Tool | undefined {
    return this.#open.get(view)?.tools.find((tool) => tool.name === name);
  }

  /**
   * Sets the tools that an app offers. Names with non-ASCII characters are skipped, because they may look
   * like other names.
   */
  setTools(view: string, app: SpeakingApp, tools: readonly Tool[]): void {
    const names = new Set<string>();
    this.#opened(view, app).tools = tools
      .filter(({ name }) => /^[\w.-]{1,64}$/.test(name) && !names.has(name) && names.add(name))
      .filter((tool) => !isTooLarge(tool))
      .slice(0, MAX_TOOLS);
    this.#options.onchange();
  }

  /**
   * Sets the context that an app gives the model. An identical context changes nothing.
   *
   * @throws {GatewayError} `overloaded` if it is updated too often
   */
  setContext(view: string, app: SpeakingApp, { content, structuredContent }: SaidContext): void {
    const { journal, clock } = this.#options;
    const whole = { content, structuredContent };
    if (sizeOf(whole, MAX_CONTEXT) > MAX_CONTEXT || bytesOf(whole) > MAX_CONTEXT) {
      const message = `the model context of an app must not exceed ${MAX_CONTEXT} bytes: send less`;
      throw new VitrineError(INVALID_PARAMS, message, { data: { code: "too-large" } });
    }
    this.#opened(view, app);
    const before = journal.contexts.find(({ item }) => item === app.item);
    const said = saidBy(whole);
    if (before && !before.isStale && isSame(before, said)) return;
    this.#count(app);
    const { item, server, title } = app;
    const known = this.#known.get(item)?.context;
    const context: AppContext = {
      item,
      server,
      title,
      at: clock.now(),
      ...said,
      isStale: false,
      // The app reverted its last change: the model knows this context already.
      ...(known && isSame(known, said) && !known.isStale && { isTold: true }),
      ...(known && !isSame(known, said) && { before: saidBy(known) }),
    };
    journal.setContexts(fewer([...journal.contexts.filter((each) => each.item !== item), context]));
  }

  /** Records that an app was closed. Its tools are removed, and its context becomes stale. */
  gone(view: string): void {
    const open = this.#open.get(view);
    if (!this.#open.delete(view) || !open) return;
    this.#options.onchange();
    const { item } = open.app;
    // The app may be open in another page.
    if ([...this.#open.values()].some(({ app }) => app.item === item)) return;
    const { journal } = this.#options;
    if (!journal.contexts.some((each) => each.item === item && !each.isStale)) return;
    journal.setContexts(
      journal.contexts.map((each) =>
        each.item === item ? { ...each, isStale: true, isTold: undefined } : each,
      ),
    );
  }

  /** Removes the context of an entry that was removed. */
  removed(item: string): void {
    const { journal } = this.#options;
    for (const [view, { app }] of this.#open) if (app.item === item) this.#open.delete(view);
    this.#options.onchange();
    this.#known.delete(item);
    if (journal.contexts.some((each) => each.item === item))
      journal.setContexts(journal.contexts.filter((each) => each.item !== item));
  }

  /** Attaches all unsent contexts to the user entry that starts a turn. */
  notify(user: string): void {
    const unsent = this.#unsent();
    for (const each of unsent) this.#known.set(each.context.item, each);
    if (unsent.length > 0)
      this.#sent.set(
        user,
        unsent.flatMap(({ parts }) => parts),
      );
  }

  /** Records that the model has answered, so it has received the contexts. */
  received(): void {
    const { journal } = this.#options;
    const isNew = (context: AppContext): boolean => !context.isTold && this.#isKnown(context);
    if (!journal.contexts.some(isNew)) return;
    journal.setContexts(
      journal.contexts.map((each) => {
        if (!isNew(each)) return each;
        const { before: _, ...context } = each;
        return { ...context, isTold: true };
      }),
    );
  }

  /** Records that an external agent, which answers instead of a model, has received all contexts. */
  receivedElsewhere(): void {
    for (const each of this.#unsent()) this.#known.set(each.context.item, each);
    this.received();
  }

  /** The contexts that the next turn will send to the model. */
  unsent(): AppParts {
    return this.#unsent().flatMap(({ parts }) => parts);
  }

  #unsent(): { context: AppContext; parts: AppParts }[] {
    return this.#options.journal.contexts.flatMap((context) => {
      if (this.#isKnown(context)) return [];
      const known = this.#known.get(context.item)?.context;
      const isSaid = known !== undefined && isSame(known, context);
      return [{ context, parts: contextParts({ context, isKnown: isSaid && context.isStale }, MAX_SEEN) }];
    });
  }

  #isKnown(context: AppContext): boolean {
    const known = this.#known.get(context.item)?.context;
    return known !== undefined && isSame(known, context) && known.isStale === context.isStale;
  }

  #opened(view: string, app: SpeakingApp): OpenApp {
    const open = this.#open.get(view) ?? { app, tools: [], isThere: () => true };
    this.#open.set(view, open);
    this.numberOf(app.item);
    return open;
  }

  #count(app: SpeakingApp): void {
    const now = this.#options.clock.now();
    const spoken = this.#spoken.get(app.item);
    if (!spoken || now - spoken.from > WINDOW) {
      this.#spoken.set(app.item, { from: now, count: 1 });
      return;
    }
    spoken.count++;
    if (spoken.count <= this.#options.limit) return;
    if (spoken.count === this.#options.limit + 1) this.#options.onflood(app);
    const message = `the app updated its model context more than ${this.#options.limit} times in ten seconds: wait, then send one update`;
    throw new GatewayError("overloaded", message, { data: { retryAfter: 10 } });
  }
}

const saidBy = ({ content, structuredContent }: SaidContext): SaidContext => ({
  ...(content !== undefined && { content }),
  ...(structuredContent !== undefined && { structuredContent }),
});

const isSame = (a: SaidContext, b: SaidContext): boolean =>
  isDeepStrictEqual(a.content, b.content) && isDeepStrictEqual(a.structuredContent, b.structuredContent);

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Removes contexts of closed apps first, then the oldest. */
function fewer(contexts: AppContext[]): AppContext[] {
  let left = contexts;
  while (left.length > 1 && (left.length > MAX_CONTEXTS || bytesOf(left) > MAX_ALL)) {
    const gone = left.find(({ isStale }) => isStale) ?? left[0];
    left = left.filter((each) => each !== gone);
  }
  return left;
}
