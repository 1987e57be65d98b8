/**
 * Questions of a guard to a user.
 *
 * @module
 */
import { type Ask, askOnce, type Decision, type Question, Refusal, type ToolDirectory } from "@vitrine/guard";
import type { Permission, ToolVisibility } from "@vitrine/protocol";
import { PERMISSION_METHOD } from "../config/policy-key.js";
import { UserConsents } from "./consents.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import { askerOf } from "./guarded-call.js";
import { operatorDecision, rememberable } from "./policy.js";
import { shareAnswers } from "./shared-questions.js";

/** The scope of methods whose answers are remembered for the whole server. */
const ALL: Readonly<Record<string, string>> = {
  "ui/message": "all messages from",
  "ui/update-model-context": "all context from",
  "ui/download-file": "all files from",
  "sampling/createMessage": "all use of the model by",
};

/** Explains "all ordinary tools" in a question. */
const ORDINARY: Readonly<Record<ToolVisibility, string>> = {
  app: "Ordinary tools are all tools of this server that apps may call, except destructive ones. The model is asked about separately.",
  model:
    "Ordinary tools are all tools of this server that the model may call, except destructive ones. Apps are asked about separately.",
};

/** Describes the scope of a remembered approval, for its button. */
function scopeOf({ method, subject, server }: Question, kept: string): string {
  if (method === "tools/call") return kept === "" ? `all ordinary tools of ${server}` : `the tool ${subject}`;
  if (method === "ui/open-link") return `links to ${subject}`;
  if (method === PERMISSION_METHOD) return `${subject} for this app`;
  return `${Object.hasOwn(ALL, method) ? ALL[method] : `all ${method} by`} ${server}`;
}

/** Names the requester: the guard's links treat every requester as an app. */
const ofWhom = ({ view }: Question, reason: string): string =>
  askerOf(view) === "model" ? reason.replace(/^The app\b/, "The model") : reason;

/** Asks the user, and remembers answers. */
export class Asking {
  readonly consents: UserConsents;
  /** Asks as the guard's links expect; undefined if there is no way to ask. */
  readonly ask: Ask | undefined;
  readonly #asked = new WeakSet<Question>();
  /** Browser permissions that the person allowed once, by view. They last as long as the view. */
  readonly #allowedOnce = new Map<string, Set<string>>();
  readonly #isAllowed: ReturnType<typeof askOnce> | undefined;
  readonly #permissions: (view: string, permission: Permission) => Decision;
  readonly #server: string;
  readonly #views: GatewayGuardOptions["views"];

  constructor({ user, store, server, settings, views, ask, now }: GatewayGuardOptions, tools: ToolDirectory) {
    const sessionOf = (view: string): string => views(view)?.session ?? view;
    const sources = { server: server.settings, settings };
    this.#permissions = (view, permission) => {
      const { permissions } = server.settings;
      const said = Object.hasOwn(permissions, permission) ? permissions[permission] : undefined;
      const subject = { method: PERMISSION_METHOD, subject: permission, params: {} };
      return said ?? operatorDecision(sources, subject, views(view)) ?? "ask";
    };
    this.#server = server.settings.name;
    this.#views = views;
    this.consents = new UserConsents({
      user,
      identity: server.settings.identity,
      consents: store.consents,
      tools,
      sessionOf,
      now,
      uis: () => server.views(),
      isAskedAlone: ({ method, subject, view }) => {
        const known = view === undefined ? undefined : views(view);
        return operatorDecision(sources, { method, subject, params: {} }, known) === "ask";
      },
    });
    if (!ask) return;
    const asking: Ask = async (question, signal) => {
      this.#asked.add(question);
      const { subject } = (await this.consents.keyOf(question)) ?? question;
      // If the answer covers more than the question, the reason must say so.
      const reason =
        subject === question.subject
          ? question.reason
          : `${question.reason} ${ORDINARY[askerOf(question.view)]}`;
      const asked = { ...question, reason: ofWhom(question, reason), scope: scopeOf(question, subject) };
      return ask(asked, rememberable(question), signal);
    };
    const keyOf = async (question: Question) => {
      const key = await this.consents.keyOf(question);
      return key && JSON.stringify(key);
    };
    this.ask = shareAnswers(asking, keyOf, sessionOf);
    this.#isAllowed = askOnce(this.ask, this.consents);
  }

  /** Whether the user was asked this question, rather than having answered it before. */
  wasAsked(question: Question): boolean {
    return this.#asked.has(question);
  }

  /**
   * Whether a view still has a browser permission: by the settings, or by an approval that was not revoked.
   * Does not ask the user.
   */
  async isGranted(view: string, permission: Permission, fingerprint: string): Promise<boolean> {
    const decision = this.#permissions(view, permission);
    if (decision !== "ask") return decision === "allow";
    if (this.#allowedOnce.get(view)?.has(`${permission} ${fingerprint}`)) return true;
    return (await this.consents.get(this.#permissionKey(view, permission, fingerprint))) === "allow";
  }

  /** Forgets the approvals of a closed view. */
  closeView(view: string): void {
    this.#allowedOnce.delete(view);
    this.consents.endSession(view);
  }

  /** Reports that the user revoked approvals. */
  revoked(): void {
    this.#allowedOnce.clear();
    this.consents.revoked();
  }

  /**
   * Why a view may have a browser permission: by the operator's settings, or because the user approved it.
   *
   * @throws {Refusal} if it may not
   */
  async permission(
    view: string,
    permission: Permission,
    fingerprint: string,
    signal: AbortSignal | undefined,
  ): Promise<"policy" | "asked" | "remembered"> {
    const decision = this.#permissions(view, permission);
    if (decision === "allow") return "policy";
    if (decision !== "ask") throw new Refusal("not-allowed", `${permission}: the operator does not allow it`);
    const { tool, uri } = this.#views(view) ?? {};
    const app = tool ?? uri;
    const key = this.#permissionKey(view, permission, fingerprint);
    const question: Question = {
      ...key,
      title: permission,
      params: { name: permission },
      reason: `The app${app === undefined ? "" : ` of ${JSON.stringify(app)}`} wants to use a feature of this browser: ${permission}.`,
    };
    if (!(await this.#isAllowed?.(question, signal))) {
      throw new Refusal("denied", `${permission}: the user declined, or could not be asked`);
    }
    if (!this.wasAsked(question)) return "remembered";
    if (!(await this.consents.get(key))) {
      const allowed = this.#allowedOnce.get(view) ?? new Set();
      this.#allowedOnce.set(view, allowed.add(`${permission} ${fingerprint}`));
    }
    return "asked";
  }

  #permissionKey(view: string, permission: Permission, fingerprint: string) {
    return { view, server: this.#server, method: PERMISSION_METHOD, subject: permission, fingerprint };
  }
}
