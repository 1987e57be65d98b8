/**
 * How often the apps of a server ask a user: a level that the user chooses, and that only adds questions.
 *
 * @module
 */
import type { AskLevel, Question } from "@vitrine/guard";
import { ASK_LEVEL_METHOD } from "@vitrine/wire";
import type { ServerKey } from "../store/known-servers.js";
import type { GatewayStore, ServerConsentKey } from "../store/store.js";
import { askerOf } from "./guarded-call.js";

/** All levels, from the one with the most questions to the one without extra questions. */
export const ASK_LEVELS = ["always", "changes", "important"] as const satisfies readonly AskLevel[];

/** Whether a value from outside is a level. */
export const isAskLevel = (value: unknown): value is AskLevel => ASK_LEVELS.some((level) => level === value);

/** Actions of an app outside of the conversation, which `always` asks about each time. */
const LEAVES: ReadonlySet<string> = new Set(["ui/open-link", "ui/download-file", "ui/message"]);

/** Milliseconds for which a level is cached: another gateway with the same database may change it. */
const FRESH = 1000;

/**
 * Whether the user is asked although a policy or an earlier approval allows it. Programs over HTTP count as apps,
 * as they do for approvals; the model is asked about separately.
 */
export function asksAnyway(
  level: AskLevel,
  { method, tool, view }: Pick<Question, "method" | "tool" | "view">,
): boolean {
  if (level === "important" || askerOf(view) === "model") return false;
  if (method !== "tools/call") return level === "always" && LEAVES.has(method);
  return level === "always" || tool?.annotations?.readOnlyHint !== true;
}

/** Whether a question offers the choice of a level: it is about an action that a level can cover. */
export const offersLevel = (question: Pick<Question, "method" | "tool" | "view">): boolean =>
  asksAnyway("always", question);

/** Options of {@link UserAskLevel}. */
export interface UserAskLevelOptions {
  readonly user: string;
  readonly server: ServerKey;
  readonly store: Pick<GatewayStore, "audit" | "consents">;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/**
 * The level of one user at one server. It is stored with the user's approvals, and does not expire: otherwise the user
 * would be asked less often without having chosen that.
 */
export class UserAskLevel {
  readonly #options: UserAskLevelOptions;
  readonly #now: () => number;
  readonly #key: ServerConsentKey & { readonly actor: "app" };
  #recent: { readonly level: AskLevel; readonly until: number } | undefined;
  /** Counts changes: a level that was read before a change must not be cached after it. */
  #changes = 0;

  constructor(options: UserAskLevelOptions) {
    const { name: server, identity } = options.server;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#key = { server, identity, method: ASK_LEVEL_METHOD, subject: "", fingerprint: "", actor: "app" };
  }

  async current(): Promise<AskLevel> {
    const now = this.#now();
    const recent = this.#recent;
    // Both bounds are checked, so that setting the clock back extends nothing.
    if (recent && now < recent.until && recent.until - now <= FRESH) return recent.level;
    const before = this.#changes;
    const answer = await this.#options.store.consents.get(this.#options.user, this.#key, now);
    const level = answer === "ask-always" ? "always" : answer === "ask-changes" ? "changes" : "important";
    if (before === this.#changes) this.#recent = { level, until: now + FRESH };
    return level;
  }

  /**
   * Stores a level, after it was recorded; `reason` says where the user chose it.
   *
   * @throws {VitrineError} `audit-failed` if it could not be recorded: then it is not changed
   */
  async set(level: AskLevel, reason: string): Promise<void> {
    const { user, store, server } = this.#options;
    const { name, identity } = server;
    await store.audit.mark({ user, server: name, identity, method: ASK_LEVEL_METHOD, target: level, reason });
    this.forget();
    try {
      if (level === "important") await store.consents.revoke(user, this.#key);
      else await store.consents.set({ ...this.#key, user, answer: `ask-${level}`, grantedAt: this.#now() });
    } finally {
      this.forget();
    }
  }

  /** Forgets the cached level: it may have changed in the database. */
  forget(): void {
    this.#changes++;
    this.#recent = undefined;
  }
}
