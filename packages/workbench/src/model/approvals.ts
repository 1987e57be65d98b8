/**
 * Everything that the user has allowed or denied for longer than once.
 *
 * @module
 */
import type { AskLevel } from "@vitrine/guard";
import { ASK_LEVEL_METHOD } from "@vitrine/wire";
import { askGateway } from "./ask-gateway.js";
import { messageOf } from "./messages/messages.js";
import { Observable } from "./observable.js";

/** An answer of the user. */
export interface Approval {
  readonly server: string;
  readonly identity?: string | undefined;
  readonly method: string;
  /** A tool, a host, a permission; empty for everything of the kind. */
  readonly subject: string;
  readonly actor?: "app" | "model" | undefined;
  /** `ask-…`: how often the apps of the server ask. */
  readonly answer: "allow" | "deny" | "ask-always" | "ask-changes";
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
  readonly expiresAt?: number | undefined;
  /** Whether it ends with the page's session or its app. */
  readonly isForSession: boolean;
}

type Stored = Omit<Approval, "isForSession">;

/** Sends a request to the gateway. */
export type AskGateway = typeof askGateway;

/** The user's answers, as the gateway has them. */
export class ApprovalList extends Observable {
  readonly #ask: AskGateway;
  /** Undefined before the first answer of the gateway. */
  list: readonly Approval[] | undefined;
  problem: string | undefined;
  /** Whether a change is on its way. */
  isBusy = false;

  constructor(ask: AskGateway = askGateway) {
    super();
    this.#ask = ask;
  }

  /** Requests the list. */
  async load(): Promise<void> {
    await this.#act(async () => {
      const answer = await this.#ask("/api/consents");
      const { consents, session } = answer as { consents: Stored[]; session: Stored[] };
      this.list = [
        ...consents.map((each) => ({ ...each, isForSession: false })),
        ...session.map((each) => ({ ...each, isForSession: true })),
      ].sort((a, b) => a.server.localeCompare(b.server) || a.grantedAt - b.grantedAt);
    });
  }

  /** Withdraws an answer: the user is asked again. All answers for this session end with it. */
  async revoke({ server, identity, method, subject, actor }: Approval): Promise<void> {
    const query = new URLSearchParams({ server, method, subject });
    if (identity !== undefined) query.set("identity", identity);
    if (actor) query.set("actor", actor);
    await this.#act(async () => void (await this.#ask(`/api/consents?${query}`, "DELETE")));
    if (this.problem === undefined) await this.load();
  }

  /** How often the apps of a server ask; undefined before the first answer of the gateway. */
  levelOf(server: string, identity: string): AskLevel | undefined {
    const stored = this.list?.find(
      (each) => each.method === ASK_LEVEL_METHOD && each.server === server && each.identity === identity,
    );
    if (stored?.answer === "ask-always") return "always";
    if (stored?.answer === "ask-changes") return "changes";
    return this.list && "important";
  }

  /** Sets how often the apps of a server ask. */
  async setLevel(server: string, identity: string, level: AskLevel): Promise<void> {
    await this.#act(
      async () => void (await this.#ask("/api/consents/level", "POST", { server, identity, level })),
    );
    if (this.problem === undefined) await this.load();
  }

  /** Withdraws all answers for a server. How often its apps ask stays. */
  async revokeAll(server: string): Promise<void> {
    await this.#act(async () => {
      await this.#ask(`/api/consents?${new URLSearchParams({ server })}`, "DELETE");
    });
    if (this.problem === undefined) await this.load();
  }

  async #act(act: () => Promise<void>): Promise<void> {
    this.problem = undefined;
    this.isBusy = true;
    this.changed();
    try {
      await act();
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.isBusy = false;
    this.changed();
  }
}

/** Actions, as sentences about who may do them. */
const ACTIONS: Readonly<Record<string, (subject: string) => string>> = {
  "ui/open-link": (host) => `open links to ${host}`,
  "ui/message": () => "write messages in the conversation",
  "ui/update-model-context": () => "tell the model about its state",
  "ui/download-file": () => "save files",
  "ui/permission": (permission) => `use your ${permission}`,
  "app-tools/call": (tool) => `have the model use the app's tool ${tool}`,
};

/** An answer of the user, in a sentence. */
export function sentenceOf({ method, subject, actor, answer, server }: Approval): string {
  if (answer === "ask-always") return `Apps of ${server} ask before every action`;
  if (answer === "ask-changes") return `Apps of ${server} ask before every call that may change something`;
  const who = actor === "model" ? "The model" : `Apps of ${server}`;
  const may = answer === "allow" ? "may" : "may not";
  if (method === "tools/call") {
    const tools = subject === "" ? `all ordinary tools of ${server}` : `the tool ${subject} of ${server}`;
    return `${who} ${may} use ${tools}`;
  }
  const action = Object.hasOwn(ACTIONS, method) ? ACTIONS[method]?.(subject) : `${method} ${subject}`.trim();
  return `${who} ${may} ${action}`;
}

/** A key that no other answer has. */
export const approvalKey = (approval: Approval): string => JSON.stringify(approval);

const day = (time: number): string => new Date(time).toLocaleDateString();

/** How long an answer is remembered. */
export function durationOf({ grantedAt, expiresAt, isForSession }: Approval): string {
  if (isForSession) return "for this session";
  const since = `since ${day(grantedAt)}`;
  return expiresAt === undefined ? since : `${since}, until ${day(expiresAt)}`;
}
