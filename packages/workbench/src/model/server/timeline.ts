/**
 * Messages of a server and of its apps, in one list.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { TrafficMessage } from "@vitrine/wire";
import type { AppLog, LoggedMessage } from "../app/app-log.js";
import { Observable } from "../observable.js";

/** A message of the list. */
export interface TimelineMessage extends LoggedMessage {
  /** The other end, such as `the server weather` or `the app Map`. */
  readonly party: string;
  /** The trace id of the call that it belongs to. */
  readonly trace?: string | undefined;
  /** The maker of the call: the user, the model, a program, or an app by its id. */
  readonly by?: TrafficMessage["by"];
  /** The app that sent or got it. */
  readonly app?: string | undefined;
}

/** An app whose messages belong into the list. */
export interface TimelineApp {
  readonly id: string;
  readonly title: string;
  readonly log: AppLog;
}

/** Milliseconds for which messages are held back: those of apps and of servers come on two ways. */
const HOLD = 250;
const MOST = 20_000;
/** Characters of the kept messages. */
const MOST_CHARACTERS = 50_000_000;

/** The list. Its times are milliseconds since it began. */
export class ServerTimeline extends Observable {
  messages: TimelineMessage[] = [];
  /** Messages that this page never got, or has dropped. */
  dropped = 0;
  /** Milliseconds since 1970 at which the list began. */
  readonly start: number;
  readonly #now: () => number;
  #held: TimelineMessage[] = [];
  #characters = 0;
  #last = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #apps = new Map<string, () => void>();

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    super();
    this.#now = now;
    this.start = now();
  }

  /** Adds messages of a server. */
  take(server: string, messages: readonly TrafficMessage[], dropped = 0): void {
    this.dropped += dropped;
    for (const each of messages) {
      const { at, direction, kind, method = "", id, size, duration, trace, by, text } = each;
      this.#hold({
        n: 0,
        at: at - this.start,
        direction: direction === "from-server" ? "in" : "out",
        kind,
        method,
        // Apps number their requests too.
        id: id === undefined ? undefined : `server ${id}`,
        size,
        duration,
        person: false,
        message: text === undefined ? `(${size} characters, too large to be shown)` : parsed(text),
        party: `the server ${server}`,
        trace,
        by,
      });
    }
  }

  /** Shows exactly these apps' messages too, from now on. */
  follow(apps: readonly TimelineApp[]): void {
    const wanted = new Set(apps.map(({ id }) => id));
    for (const [id, stop] of this.#apps)
      if (!wanted.has(id)) {
        stop();
        this.#apps.delete(id);
      }
    for (const app of apps) if (!this.#apps.has(app.id)) this.#apps.set(app.id, this.#listen(app));
  }

  /**
   * The app's message that caused a request to the server: of the app that made the call, the last one before with the
   * same method and the same params.
   */
  causeOf(message: TimelineMessage): TimelineMessage | undefined {
    const view = message.by?.view;
    if (view === undefined || message.app !== undefined) return undefined;
    const request =
      message.kind === "request"
        ? message
        : this.messages.find(({ id, kind }) => id === message.id && kind === "request");
    if (!request) return undefined;
    const wanted = paramsOf(request);
    return this.messages.findLast(
      (each) =>
        each.app === view &&
        each.kind === "request" &&
        each.direction === "in" &&
        each.method === request.method &&
        each.at <= request.at + HOLD &&
        paramsOf(each) === wanted,
    );
  }

  /** Drops all messages. */
  clear(): void {
    this.messages = [];
    this.#characters = 0;
    this.changed();
  }

  #listen({ id: app, title, log }: TimelineApp): () => void {
    let seen = log.messages.at(-1)?.n ?? 0;
    const read = (): void => {
      // A log counts from the opening of its app.
      const opened = this.#now() - log.now - this.start;
      for (const message of log.messages) {
        if (message.n <= seen) continue;
        seen = message.n;
        const id = message.id === undefined ? undefined : `${app} ${message.id}`;
        this.#hold({ ...message, id, at: opened + message.at, party: `the app ${title}`, app });
      }
    };
    return log.subscribe(read);
  }

  #hold(message: TimelineMessage): void {
    this.#held.push(message);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, HOLD);
  }

  /** Adds what is held back, in the order of its time. */
  flush(): void {
    for (const message of this.#held.sort((a, b) => a.at - b.at)) {
      // Numbers have no gaps: a filter finds its place by them.
      this.messages.push({ ...message, n: ++this.#last });
      this.#characters += message.size;
    }
    this.#held = [];
    let gone = 0;
    while (
      (this.messages.length - gone > MOST || this.#characters > MOST_CHARACTERS) &&
      gone < this.messages.length - 1
    ) {
      this.#characters -= this.messages[gone]?.size ?? 0;
      gone++;
    }
    if (gone > 0) this.messages = this.messages.slice(gone);
    this.dropped += gone;
    this.changed();
  }

  /** Stops to follow apps. */
  end(): void {
    this.follow([]);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** The params of a request, without what the gateway adds. */
function paramsOf({ message }: LoggedMessage): string {
  const { _meta, ...params } = recordOf(recordOf(message)["params"]);
  return JSON.stringify(params);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
