/**
 * A call in the conversation.
 *
 * @module
 */
import type { CallToolResult, Progress } from "@vitrine/protocol";
import type { SpeakingApp, CallItem as ToldCall } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";
import type { AppModel } from "./app-model.js";
import { type CallPage, readPage } from "./call-page.js";
import { readProgress, readResult } from "./foreign.js";

/** State of a call. */
export type CallState = ToldCall["state"];

const CHANGED = "The document of this app was changed on its server while the page was away.";

/** A tool call, as reported by the gateway, with the app that shows it in this page. */
export class PageCall extends Observable {
  readonly kind = "call";
  /** Its key in this page for rendered lists; it stays when the gateway assigns an `id`. */
  readonly key: string;
  /** The gateway's id; the {@link key} until there is one. */
  id: string;
  at: number;
  readonly by: ToldCall["by"];
  /** The agent that made the call, by its own name. */
  readonly agent: string | undefined;
  /** The model's entry that it belongs to. */
  readonly turn: string | undefined;
  readonly server: string;
  /** The identity of that server. */
  readonly identity: string | undefined;
  readonly tool: string;
  /** The version of the conversation that it belongs to. */
  inVersion: string | undefined;
  /** The app whose tool it is, if it is not a server's. */
  readonly appOf: SpeakingApp | undefined;
  /** Empty while `writing`. */
  input: Record<string, unknown> = {};
  /** The JSON of its arguments so far. */
  inputText: string | undefined;
  /** Whether secrets were removed from its arguments. */
  isInputCut = false;
  state: CallState;
  progress: Progress | undefined;
  result: CallToolResult | undefined;
  /** Whether the result was too large to store. */
  isResultLost = false;
  /** Why it failed, or the problem with its app. */
  problem: string | undefined;
  /** Whether the tool has an app to show. */
  hasApp: boolean;
  /** Whether the user has closed that app. */
  isAppClosed: boolean;
  /** Whether its app is pinned beside the conversation. */
  isPinned: boolean;
  /** Whether new calls of its tool update that app. */
  isFollowing: boolean;
  /** The id of the later call that its app shows. */
  latest: string | undefined;
  /** The id of the call whose pinned app shows this one, instead of an app of its own. */
  pin: string | undefined;
  app: AppModel | undefined;
  /** Note that the document of its app changed while the page was away. */
  note: string | undefined;
  /** The hash of the document that was shown last. */
  document: string | undefined;
  /** The id of the view that shows it. */
  view: string | undefined;
  profile: string | undefined;
  endedAt: number | undefined;
  #isInputWhole = false;
  #isTakenBack = false;
  /** Browser permissions that await the user's answer: until then there is no app. */
  permissions: readonly string[] = [];
  /** Cancels the call. */
  oncancel: (() => unknown) | undefined;

  /** @param key its key in this page; for a call that the gateway reports, the gateway's id */
  constructor(told: ToldCall, key = told.id) {
    super();
    const { id, at, by, agent, turn, server, identity, tool, app, state, hasApp } = told;
    this.key = key;
    this.id = id;
    this.at = at;
    this.by = by;
    this.agent = agent;
    this.turn = turn;
    this.server = server;
    this.identity = identity;
    this.tool = tool;
    this.appOf = app;
    this.state = state;
    this.hasApp = hasApp;
    // Later the page's own state counts, not what it stored then.
    const { profile, document, isClosed = false, isPinned = false, ...kept } = readPage(told.page);
    this.profile = profile;
    this.document = document;
    this.isAppClosed = isClosed;
    this.isPinned = isPinned;
    this.isFollowing = kept.isFollowing ?? false;
    this.latest = kept.latest;
    this.pin = kept.pin;
    this.#read(told);
  }

  /** Counts a permission question that the user answers before the app is shown. */
  async asked(permission: string, answer: Promise<unknown>): Promise<void> {
    this.permissions = [...this.permissions, permission];
    this.changed();
    await answer.catch(() => {});
    const at = this.permissions.indexOf(permission);
    this.permissions = this.permissions.filter((_, index) => index !== at);
    this.changed();
  }

  /** Whether it should be shown in an app of its own. */
  get wantsApp(): boolean {
    return this.hasApp && !this.isAppClosed && this.pin === undefined;
  }

  /** Whether the call is over. */
  get isOver(): boolean {
    return this.state !== "writing" && this.state !== "running";
  }

  /** Data that the page stores with it. */
  get page(): CallPage {
    const { key, profile, document, latest, pin } = this;
    return {
      key,
      profile,
      document,
      ...(this.isAppClosed && { isClosed: true }),
      ...(this.isPinned && { isPinned: true }),
      ...(this.isFollowing && { isFollowing: true }),
      ...(latest !== undefined && { latest }),
      ...(pin !== undefined && { pin }),
    };
  }

  /** Applies a new state from the gateway. */
  take(told: ToldCall): void {
    this.#read(told);
    this.changed();
  }

  /** Appends to its arguments. */
  write(text: string): void {
    this.inputText = (this.inputText ?? "") + text;
    this.changed();
  }

  update(
    change: Partial<
      Pick<
        PageCall,
        | "state"
        | "progress"
        | "result"
        | "problem"
        | "app"
        | "isAppClosed"
        | "isPinned"
        | "isFollowing"
        | "latest"
        | "pin"
        | "view"
        | "document"
        | "note"
      >
    >,
  ): void {
    Object.assign(this, change);
    if (this.isOver) this.endedAt ??= Date.now();
    this.changed();
  }

  /** Sets the document of its app; without a hash it is unknown. Returns whether it changed. */
  shows(document: string | undefined): boolean {
    if (document === undefined || document === this.document) return false;
    this.update({ document, ...(this.document !== undefined && { note: CHANGED }) });
    return true;
  }

  /** The gateway now has this document, but the app continues with its current one. */
  goesOn(document: string | undefined): void {
    const isOther = document !== undefined && this.document !== undefined && document !== this.document;
    if (isOther) this.update({ note: `${CHANGED} The app still shows the old one.` });
  }

  cancel(): void {
    if (this.isOver) return;
    this.#isTakenBack = true;
    void this.#takeBack();
  }

  async #takeBack(): Promise<void> {
    try {
      await this.oncancel?.();
    } catch (error) {
      this.#isTakenBack = false;
      this.update({ problem: `The call could not be cancelled: ${messageOf(error)}` });
    }
  }

  /** Ends it without an answer: because the user cancelled, or with a problem. */
  end(problem: string | undefined): void {
    if (this.isOver) return;
    this.update(this.#isTakenBack ? { state: "cancelled" } : { state: "failed", problem });
  }

  /** Resolves when it is over. */
  over(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (!this.isOver) return;
        stop();
        resolve();
      });
    });
  }

  #read(told: ToldCall): void {
    this.inVersion = told.inVersion;
    this.id = told.id;
    this.at = told.at;
    this.state = told.state;
    // The page knows its own calls before the gateway does. For the model's calls, the gateway withdraws the
    // app if no server is called.
    this.hasApp = told.hasApp || (this.by === "person" && this.hasApp);
    this.inputText = told.inputText;
    // A page with the complete arguments keeps them until it is reloaded.
    if (!told.isInputCut || !this.#isInputWhole) {
      this.input = told.input ?? this.input;
      this.isInputCut = told.isInputCut ?? false;
      this.#isInputWhole = told.input !== undefined && !this.isInputCut;
    }
    this.progress = this.isOver ? undefined : readProgress(told.progress);
    // The result comes from the server and may be anything. It does not change, so it is parsed once.
    if (told.result && !this.result) this.result = readResult(told.result);
    this.isResultLost = !this.result && (told.isResultLost ?? false);
    this.endedAt = told.endedAt;
    const isKnown = this.#isTakenBack && told.state === "cancelled";
    // Without a new one, the problem of the app stays.
    if (told.problem !== undefined && !isKnown) this.problem = told.problem;
  }
}
