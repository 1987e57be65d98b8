/**
 * A user's approvals for a server.
 *
 * @module
 */
import {
  type ConsentAnswer,
  type ConsentKey,
  type ConsentStore,
  fingerprint,
  type ToolDirectory,
} from "@vitrine/guard";
import { isVisibleTo, readToolUi, type Tool, type ToolVisibility } from "@vitrine/protocol";
import type { Catalogue, ServerIdentity } from "@vitrine/servers";
import type { ServerConsentKey, SessionConsent, UserConsentStore } from "../store/store.js";
import { sha256 } from "./digest.js";
import { askerOf } from "./guarded-call.js";
import { isDestructive, rememberable } from "./policy.js";

/** Days after which "always" expires. */
export const CONSENT_DAYS = 90;

/** Options of {@link UserConsents}. */
export interface UserConsentsOptions {
  readonly user: string;
  /** The server's identity: another server of the same name has its own approvals. */
  readonly identity: ServerIdentity;
  readonly consents: UserConsentStore;
  readonly tools: ToolDirectory;
  /** The UIs of the tools: the same array until one changes. */
  readonly uis: () => Promise<Catalogue["views"]>;
  /** The browser session of a question's view, which "for this session" refers to. */
  readonly sessionOf: (asked: AskedKey) => string;
  /** Whether the operator requires a separate question for this tool. */
  readonly isAskedAlone?: ((key: AskedKey) => boolean) | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** The key of a question, with the requesting view. */
export type AskedKey = ConsentKey & { readonly view?: string | undefined };

type Kept = { answer: ConsentAnswer["answer"]; until: number };

/** An answer that ends with its session. */
interface SessionAnswer {
  readonly key: ServerConsentKey;
  readonly answer: ConsentAnswer["answer"];
  readonly at: number;
}

/** The tools and UIs that an approval refers to, with their hashes. */
interface Offer {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly uis: Catalogue["views"];
  /** By who may call the tools. */
  readonly toolsHash: Readonly<Record<ToolVisibility, string>>;
  readonly uisHash: string;
}

const DAY = 24 * 60 * 60 * 1000;
/**
 * Milliseconds for which answers of the database are cached: another gateway with the same database may
 * revoke one.
 */
const FRESH = 1000;
const MAX_KEPT = 1000;

/**
 * Remembers the answers of one user. An answer about tools is for the apps of a server, or for the model, and covers all tools
 * that they may call. It holds until one of these tools changes, one is added or made visible to them, or a UI of the
 * server changes (attack C23). Answers about destructive tools are never remembered.
 */
export class UserConsents implements ConsentStore {
  readonly #options: UserConsentsOptions;
  readonly #now: () => number;
  /** Answers for a session, by session and key. */
  readonly #sessions = new Map<string, Map<string, SessionAnswer>>();
  /** Recent answers of the database. */
  readonly #recent = new Map<string, Kept>();
  /** The key under which an answer will be stored: computed when the question is asked. */
  readonly #asked = new WeakMap<AskedKey, ServerConsentKey>();
  /** The latest offer: tools and UIs are hashed only when they change. */
  #offer: Offer | undefined;

  constructor(options: UserConsentsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async get(asked: AskedKey): Promise<ConsentAnswer["answer"] | undefined> {
    const key = await this.keyOf(asked);
    if (!key) return undefined;
    const id = idOf(key);
    const { sessionOf } = this.#options;
    const forView = asked.view === undefined ? undefined : this.#sessions.get(asked.view)?.get(id);
    const forSession = forView ?? this.#sessions.get(sessionOf(asked))?.get(id);
    if (forSession) return forSession.answer;
    const now = this.#now();
    const recent = this.#recent.get(id);
    // Both bounds are checked, so that setting the clock back extends nothing.
    if (recent && now < recent.until && recent.until - now <= FRESH) return recent.answer;
    this.#recent.delete(id);
    const { user, identity, consents } = this.#options;
    const stored = await consents.get(user, { ...key, identity }, now);
    // A level has a key of its own: a row of another kind answers nothing.
    const answer = stored === "allow" || stored === "deny" ? stored : undefined;
    if (answer) keep(this.#recent, id, { answer, until: now + FRESH });
    else if (!this.#asked.has(asked)) this.#asked.set(asked, key);
    return answer;
  }

  async set(asked: AskedKey, answer: ConsentAnswer["answer"], remember: "session" | "always"): Promise<void> {
    // Changes during the question are not part of the approval.
    const key = this.#asked.get(asked) ?? (await this.keyOf(asked));
    if (!key) return;
    const { user, identity, consents } = this.#options;
    if (remember === "always" && rememberable(asked).includes("always")) {
      const grantedAt = this.#now();
      const expiresAt = grantedAt + CONSENT_DAYS * DAY;
      const { server, method, subject, fingerprint, actor } = key;
      const granted = { user, server, identity, method, subject, fingerprint, actor };
      await consents.set({ ...granted, answer, grantedAt, expiresAt });
      this.#recent.delete(idOf(key));
    } else this.#keep(this.#options.sessionOf(asked), key, answer);
  }

  /** Allows something until its view is closed. */
  allowForView({ server, method, subject, fingerprint, view }: AskedKey & { readonly view: string }): void {
    this.#keep(view, { server, method, subject, fingerprint }, "allow");
  }

  /** The key of an answer; undefined if it is never remembered. */
  async keyOf(asked: AskedKey): Promise<ServerConsentKey | undefined> {
    const { server, method, subject } = asked;
    if (method !== "tools/call") return { server, method, subject, fingerprint: asked.fingerprint };
    const tools = await this.#options.tools.all();
    const tool = tools.get(subject);
    if (!tool || isDestructive(tool)) return undefined;
    const { toolsHash, uisHash } = this.#offerOf(tools, await this.#options.uis());
    const actor = askerOf(asked.view);
    if (this.#options.isAskedAlone?.(asked)) {
      return { server, method, subject, actor, fingerprint: sha256(fingerprint(tool) + uisHash) };
    }
    return { server, method, subject: "", actor, fingerprint: toolsHash[actor] };
  }

  /** The answers that end with a session or a view, oldest first. */
  sessionAnswers(): SessionConsent[] {
    return [...this.#sessions.values()].flatMap((answers) =>
      [...answers.values()].map(({ key: { server, method, subject, actor }, answer, at }) => ({
        server,
        method,
        subject,
        ...(actor && { actor }),
        answer,
        grantedAt: at,
      })),
    );
  }

  /** Forgets the answers for a session that ended. */
  endSession(session: string): void {
    this.#sessions.delete(session);
  }

  /** Forgets cached answers after a revocation. Answers for a session are revoked too. */
  revoked(): void {
    this.#recent.clear();
    this.#sessions.clear();
  }

  #offerOf(tools: Offer["tools"], uis: Offer["uis"]): Offer {
    if (this.#offer?.tools === tools && this.#offer.uis === uis) return this.#offer;
    const all = [...tools.values()];
    // If a server has very many UIs, some are not preloaded; their URIs count nevertheless.
    const links = all.flatMap((tool) => {
      const { resourceUri } = readToolUi(tool);
      return resourceUri === undefined ? [] : [[tool.name, resourceUri]];
    });
    const documents = uis.map(({ tool, uri, hash }) => [tool.name, uri, hash ?? null]);
    const uisHash = sha256(JSON.stringify([sorted(links), sorted(documents)]));
    const hashFor = (who: ToolVisibility): string => {
      const visible = all.filter((tool) => isVisibleTo(tool, who));
      return sha256(JSON.stringify([sorted(visible.map(fingerprint)), uisHash]));
    };
    const toolsHash = { app: hashFor("app"), model: hashFor("model") };
    this.#offer = { tools, uis, toolsHash, uisHash };
    return this.#offer;
  }

  #keep(session: string, key: ServerConsentKey, answer: ConsentAnswer["answer"]): void {
    const answers = this.#sessions.get(session) ?? new Map<string, SessionAnswer>();
    keep(answers, idOf(key), { key, answer, at: this.#now() });
    keep(this.#sessions, session, answers);
  }
}

const idOf = ({ server, method, subject, fingerprint, actor }: ServerConsentKey): string =>
  JSON.stringify([server, method, subject, fingerprint, actor]);

/** The JSON of each value, in a fixed order. */
const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();

/** Adds a value, and removes the oldest if there are too many. */
function keep<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_KEPT) break;
    map.delete(oldest);
  }
}
