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
} from "@vitrine/guard";
import { readToolUi, type Tool } from "@vitrine/protocol";
import type { Catalogue, ServerIdentity } from "@vitrine/servers";
import type { Consents } from "../store/store.js";
import { sha256 } from "./digest.js";
import { isDestructive, rememberable } from "./policy.js";

/** Days after which "always" is asked again. */
export const CONSENT_DAYS = 90;

/** Options of {@link UserConsents}. */
export interface UserConsentsOptions {
  readonly user: string;
  /** Which server it is: another one of its name has its own answers. */
  readonly identity: ServerIdentity;
  readonly consents: Consents;
  readonly tools: ToolDirectory;
  /** The UIs of the tools: the same array until one changes. */
  readonly uis: () => Promise<Catalogue["views"]>;
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

/** What a server's tools are agreed to by, for one listing of them and one reading of their UIs. */
interface Offer {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly uis: Catalogue["views"];
  readonly toolsHash: string;
  readonly uisHash: string;
}

const DAY = 24 * 60 * 60 * 1000;
/** Milliseconds for which the database is believed: another gateway at the same one may take an answer back. */
const FRESH = 1000;
const MAX_KEPT = 1000;

/**
 * Remembers the answers of one user. Tools of a server are agreed to together: the answer holds as long as none that
 * its views may call changes, none is added, and the UIs that call them are the same (attack C23). What is destructive is
 * never remembered.
 */
export class UserConsents implements ConsentStore {
  readonly #options: UserConsentsOptions;
  readonly #now: () => number;
  /** Answers for a session, by session and key. */
  readonly #sessions = new Map<string, Map<string, Answer["answer"]>>();
  /** What the database said a moment ago. */
  readonly #recent = new Map<string, Kept>();
  /** What an answer to a question will be kept by: what the server was when the question came up. */
  readonly #asked = new WeakMap<AskedKey, ConsentKey>();
  /** The last one: tools and UIs are hashed when they change, and not with every call. */
  #offer: Offer | undefined;

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
    const { user, identity, consents } = this.#options;
    const answer = await consents.get(user, { ...key, identity }, now);
    if (answer) keep(this.#recent, id, { answer, until: now + FRESH });
    else if (!this.#asked.has(asked)) this.#asked.set(asked, key);
    return answer;
  }

  async set(asked: AskedKey, answer: Answer["answer"], remember: "session" | "always"): Promise<void> {
    // What changed while the person thought was not what they agreed to.
    const key = this.#asked.get(asked) ?? (await this.keyOf(asked));
    if (!key) return;
    const { user, identity, consents } = this.#options;
    if (remember === "always" && rememberable(asked).includes("always")) {
      const grantedAt = this.#now();
      const expiresAt = grantedAt + CONSENT_DAYS * DAY;
      const { server, method, subject, fingerprint } = key;
      const granted = { user, server, identity, method, subject, fingerprint };
      await consents.set({ ...granted, answer, grantedAt, expiresAt });
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
    const { toolsHash, uisHash } = this.#offerOf(tools, await this.#options.uis());
    if (this.#options.isAskedAlone?.(asked)) {
      return { server, method, subject, fingerprint: sha256(fingerprint(tool) + uisHash) };
    }
    return { server, method, subject: "", fingerprint: toolsHash };
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

  #offerOf(tools: Offer["tools"], uis: Offer["uis"]): Offer {
    if (this.#offer?.tools === tools && this.#offer.uis === uis) return this.#offer;
    const all = [...tools.values()];
    // Of a server with very many UIs some are not read ahead: their addresses count all the same.
    const links = all.map((tool) => [tool.name, readToolUi(tool).resourceUri ?? null]);
    const documents = uis.map(({ tool, uri, hash }) => [tool.name, uri, hash ?? null]);
    const uisHash = sha256(JSON.stringify([sorted(links), sorted(documents)]));
    const toolsHash = sha256(JSON.stringify([sorted(all.map(fingerprint)), uisHash]));
    this.#offer = { tools, uis, toolsHash, uisHash };
    return this.#offer;
  }

  #sessionOf({ view }: AskedKey): string {
    return view === undefined ? "" : this.#options.sessionOf(view);
  }
}

const idOf = ({ server, method, subject, fingerprint }: ConsentKey): string =>
  JSON.stringify([server, method, subject, fingerprint]);

/** The JSON of each, whatever order they came in. */
const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();

/** Puts a value in, and the oldest out when there are too many. */
function keep<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_KEPT) break;
    map.delete(oldest);
  }
}
