/**
 * What a person agreed to, for one server.
 *
 * @module
 */
import {
  type Answer,
  type ConsentKey,
  type ConsentStore,
  fingerprint,
  type ToolDirectory,
} from "@vitrine/host";
import { isVisibleTo, type Tool } from "@vitrine/protocol";
import type { Consents } from "../store/store.js";
import { sha256 } from "./digest.js";
import { isDestructive, rememberable } from "./policy.js";

/** Days after which "always" is asked again. */
export const CONSENT_DAYS = 90;

/** Options of {@link UserConsents}. */
export interface UserConsentsOptions {
  readonly user: string;
  readonly consents: Consents;
  readonly tools: ToolDirectory;
  /** The browser session of a view: what "for this session" means. */
  readonly sessionOf: (view: string) => string;
  /** Whether the operator wants to have this very tool asked about, in place of all of the server's at once. */
  readonly isAskedAlone?: ((key: AskedKey) => boolean) | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** The key of a question, with the view that asks. */
export type AskedKey = ConsentKey & { readonly view?: string | undefined };

type Kept = { answer: Answer["answer"]; until: number };

const DAY = 24 * 60 * 60 * 1000;
/** Milliseconds for which the database is believed: another gateway at the same one may take an answer back. */
const FRESH = 1000;
const MAX_KEPT = 1000;

/**
 * Remembers the answers of one user. Tools of a server are agreed to together: the answer holds as long as none that
 * its views may call changes, and none is added (attack C23). What is destructive is never remembered.
 */
export class UserConsents implements ConsentStore {
  readonly #options: UserConsentsOptions;
  readonly #now: () => number;
  /** Answers for a session, by session and key. */
  readonly #sessions = new Map<string, Map<string, Answer["answer"]>>();
  /** What the database said a moment ago. */
  readonly #recent = new Map<string, Kept>();
  /** By listing: all tools are hashed once for each, and not with every call. */
  readonly #hashes = new WeakMap<ReadonlyMap<string, Tool>, string>();

  constructor(options: UserConsentsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async get(asked: AskedKey): Promise<Answer["answer"] | undefined> {
    const key = await this.keyOf(asked);
    if (!key) return undefined;
    const id = idOf(key);
    const forSession = this.#sessions.get(this.#sessionOf(asked))?.get(id);
    if (forSession) return forSession;
    const now = this.#now();
    const recent = this.#recent.get(id);
    // Both ends: a clock that is set back makes nothing last.
    if (recent && now < recent.until && recent.until - now <= FRESH) return recent.answer;
    this.#recent.delete(id);
    const answer = await this.#options.consents.get(this.#options.user, key, now);
    if (answer) keep(this.#recent, id, { answer, until: now + FRESH });
    return answer;
  }

  async set(asked: AskedKey, answer: Answer["answer"], remember: "session" | "always"): Promise<void> {
    const key = await this.keyOf(asked);
    if (!key) return;
    const { user, consents } = this.#options;
    if (remember === "always" && rememberable(asked).includes("always")) {
      const grantedAt = this.#now();
      const expiresAt = grantedAt + CONSENT_DAYS * DAY;
      const { server, method, subject, fingerprint } = key;
      await consents.set({ user, server, method, subject, fingerprint, answer, grantedAt, expiresAt });
      this.#recent.delete(idOf(key));
    } else {
      const session = this.#sessionOf(asked);
      const answers = this.#sessions.get(session) ?? new Map<string, Answer["answer"]>();
      keep(answers, idOf(key), answer);
      keep(this.#sessions, session, answers);
    }
  }

  /** What an answer is kept by; undefined for what is never remembered. */
  async keyOf(asked: AskedKey): Promise<ConsentKey | undefined> {
    const { server, method, subject } = asked;
    if (method !== "tools/call") return { server, method, subject, fingerprint: asked.fingerprint };
    const tools = await this.#options.tools.all();
    const tool = tools.get(subject);
    if (!tool || isDestructive(tool)) return undefined;
    if (this.#options.isAskedAlone?.(asked)) {
      return { server, method, subject, fingerprint: sha256(fingerprint(tool)) };
    }
    return { server, method, subject: "", fingerprint: this.#hashAll(tools) };
  }

  /** Forgets what was for a session that is over. */
  endSession(session: string): void {
    this.#sessions.delete(session);
  }

  /** Forgets what can be read again: after an answer was taken back. Answers for a session are taken back too. */
  revoked(): void {
    this.#recent.clear();
    this.#sessions.clear();
  }

  #hashAll(tools: ReadonlyMap<string, Tool>): string {
    const known = this.#hashes.get(tools);
    if (known !== undefined) return known;
    const forApps = [...tools.values()].filter((tool) => isVisibleTo(tool, "app"));
    const hash = sha256(JSON.stringify(forApps.map(fingerprint).sort()));
    this.#hashes.set(tools, hash);
    return hash;
  }

  #sessionOf({ view }: AskedKey): string {
    return view === undefined ? "" : this.#options.sessionOf(view);
  }
}

const idOf = ({ server, method, subject, fingerprint }: ConsentKey): string =>
  JSON.stringify([server, method, subject, fingerprint]);

/** Puts a value in, and the oldest out when there are too many. */
function keep<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_KEPT) break;
    map.delete(oldest);
  }
}
