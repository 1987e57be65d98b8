/**
 * The apps of a conversation that are open: what they want the model to know, and the tools that they offer it.
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

/** What an app says about itself. */
export type SaidContext = Pick<AppContext, "content" | "structuredContent">;

/** What it stands on. */
export interface AppsOptions {
  readonly journal: Journal;
  readonly clock: Pick<Clock, "now">;
  /** Contexts of one app in ten seconds. */
  readonly limit: number;
  /** An app says more than anybody could read. */
  onflood(app: SpeakingApp): void;
  /** Apps were opened or closed, or offer other tools. */
  onchange(): void;
}

/** An app that is open in a page. */
export interface OpenAppState {
  readonly view: string;
  readonly app: SpeakingApp;
  readonly tools: readonly Tool[];
  /** Its page is connected now. */
  readonly isThere: boolean;
}

/** Bytes of one context, and of all together, as they are kept; how many there are. */
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

/** Keeps what apps say, the last word of each. */
export class Apps {
  readonly #options: AppsOptions;
  readonly #open = new Map<string, OpenApp>();
  readonly #numbers = new Map<string, number>();
  /** When each app spoke, in the last ten seconds. */
  readonly #spoken = new Map<string, { from: number; count: number }>();
  /** The contexts that the model knows, by their entries, and how it was told. */
  readonly #known = new Map<string, { readonly context: AppContext; readonly parts: AppParts }>();
  readonly #told = new Map<string, AppParts>();

  constructor(options: AppsOptions) {
    this.#options = options;
  }

  /** What was told of apps with each entry of the user. */
  get told(): ReadonlyMap<string, AppParts> {
    return this.#told;
  }

  /** What was told of apps that are still open. */
  get lasting(): AppParts[] {
    const open = this.#options.journal.contexts.filter(({ isStale }) => !isStale);
    return open.flatMap(({ item }) => {
      const known = this.#known.get(item);
      return known && !known.context.isStale ? [known.parts] : [];
    });
  }

  /** The number of the app of an entry: the same as long as the conversation is in memory. */
  readonly numberOf = (item: string): number => {
    const number = this.#numbers.get(item) ?? this.#numbers.size + 1;
    this.#numbers.set(item, number);
    return number;
  };

  /** What the model may call; of an app that is open twice only where it was opened last. */
  get tools(): AppTool[] {
    const latest = new Map([...this.#open].map(([view, open]) => [open.app.item, { view, ...open }]));
    return [...latest.values()].flatMap(({ view, app, tools }) =>
      tools.map((tool) => ({ view, app, number: this.numberOf(app.item), tool })),
    );
  }

  /** The apps that are open; of one that is open twice only where it was opened last. */
  get open(): OpenAppState[] {
    const latest = new Map<string, OpenAppState>();
    for (const [view, { app, tools, isThere }] of this.#open) {
      // A page that lost its connection may be gone: one that has not counts first.
      const open = { view, app, tools, isThere: isThere() };
      if (open.isThere || !latest.get(app.item)?.isThere) latest.set(app.item, open);
    }
    return [...latest.values()];
  }

  /** An app was opened. */
  opened(view: string, app: SpeakingApp, isThere = () => true): void {
    this.#opened(view, app).isThere = isThere;
    this.#options.onchange();
  }

  isOpen(view: string): boolean {
    return this.#open.has(view);
  }

  /** A tool as its app offers it now. */
  toolOf(view: string, name: string): Tool | undefined {
    return this.#open.get(view)?.tools.find((tool) => tool.name === name);
  }

  /** An app says what it offers; names of anything but ASCII are left out, as one may look like another. */
  setTools(view: string, app: SpeakingApp, tools: readonly Tool[]): void {
    const names = new Set<string>();
    this.#opened(view, app).tools = tools
      .filter(({ name }) => /^[\w.-]{1,64}$/.test(name) && !names.has(name) && names.add(name))
      .filter((tool) => !isTooLarge(tool))
      .slice(0, MAX_TOOLS);
    this.#options.onchange();
  }

  /**
   * An app says what the model should know. The same again changes nothing.
   *
   * @throws {GatewayError} `overloaded` when it says so too often
   */
  setContext(view: string, app: SpeakingApp, { content, structuredContent }: SaidContext): void {
    const { journal, clock } = this.#options;
    const whole = { content, structuredContent };
    if (sizeOf(whole, MAX_CONTEXT) > MAX_CONTEXT || bytesOf(whole) > MAX_CONTEXT) {
      const message = `what an app wants the model to know has ${MAX_CONTEXT} bytes at most: say less`;
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
      // The app took its last change back: the model knows this already.
      ...(known && isSame(known, said) && !known.isStale && { isTold: true }),
      ...(known && !isSame(known, said) && { before: saidBy(known) }),
    };
    journal.setContexts(fewer([...journal.contexts.filter((each) => each.item !== item), context]));
  }

  /** An app was closed. Its tools are gone, what it said is out of date. */
  gone(view: string): void {
    const open = this.#open.get(view);
    if (!this.#open.delete(view) || !open) return;
    this.#options.onchange();
    const { item } = open.app;
    // It may be open in another page.
    if ([...this.#open.values()].some(({ app }) => app.item === item)) return;
    const { journal } = this.#options;
    if (!journal.contexts.some((each) => each.item === item && !each.isStale)) return;
    journal.setContexts(
      journal.contexts.map((each) =>
        each.item === item ? { ...each, isStale: true, isTold: undefined } : each,
      ),
    );
  }

  /** Its entry was removed, and with it what it said. */
  removed(item: string): void {
    const { journal } = this.#options;
    for (const [view, { app }] of this.#open) if (app.item === item) this.#open.delete(view);
    this.#options.onchange();
    this.#known.delete(item);
    if (journal.contexts.some((each) => each.item === item))
      journal.setContexts(journal.contexts.filter((each) => each.item !== item));
  }

  /** A turn begins: with it the model is told what is new since the last one. */
  tell(user: string): void {
    const untold = this.#untold();
    for (const each of untold) this.#known.set(each.context.item, each);
    if (untold.length > 0)
      this.#told.set(
        user,
        untold.flatMap(({ parts }) => parts),
      );
  }

  /** The model answered, so it has received what it was told of apps. */
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

  /** The agent that answers in place of a model has received all that apps said. */
  receivedElsewhere(): void {
    for (const each of this.#untold()) this.#known.set(each.context.item, each);
    this.received();
  }

  /** What the model will be told with the next turn. */
  untold(): AppParts {
    return this.#untold().flatMap(({ parts }) => parts);
  }

  #untold(): { context: AppContext; parts: AppParts }[] {
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
    const message = `the app said what the model should know more than ${this.#options.limit} times in ten seconds: wait, then say it once`;
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

/** Those of closed apps go first, then the oldest. */
function fewer(contexts: AppContext[]): AppContext[] {
  let left = contexts;
  while (left.length > 1 && (left.length > MAX_CONTEXTS || bytesOf(left) > MAX_ALL)) {
    const gone = left.find(({ isStale }) => isStale) ?? left[0];
    left = left.filter((each) => each !== gone);
  }
  return left;
}
