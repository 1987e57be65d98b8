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

/** How far a call has come. */
export type CallState = ToldCall["state"];

const CHANGED = "The document of this app was changed on its server while the page was away.";

/** A call of a tool: as the gateway tells of it, with the app that this page shows it in. */
export class CallItem extends Observable {
  readonly kind = "call";
  /** Its name in this page, for lists that are drawn: it stays when the gateway has given it an `id`. */
  readonly key: string;
  /** The gateway's name for it; its {@link key} until there is one. */
  id: string;
  at: number;
  readonly by: ToldCall["by"];
  /** The agent that called it, by its own name. */
  readonly agent: string | undefined;
  /** The answer of the model that it belongs to. */
  readonly turn: string | undefined;
  readonly server: string;
  readonly tool: string;
  /** The app whose tool it is, for one that is no server's. */
  readonly appOf: SpeakingApp | undefined;
  /** Empty as long as it is `writing`. */
  input: Record<string, unknown> = {};
  /** The JSON of its arguments, as far as the model has written it. */
  inputText: string | undefined;
  /** There were secrets among its arguments, and they were not kept. */
  isInputCut = false;
  state: CallState;
  progress: Progress | undefined;
  result: CallToolResult | undefined;
  /** There was a result, too large to be kept. */
  isResultLost = false;
  /** Why it failed, or what is wrong with its app. */
  problem: string | undefined;
  /** The tool has an app to show. */
  hasApp: boolean;
  /** The person has closed that app. */
  isAppClosed: boolean;
  app: AppModel | undefined;
  /** That the document of its app was changed while the page was away. */
  note: string | undefined;
  /** The hash of that document, as it was shown last. */
  document: string | undefined;
  /** The name of the view that shows it. */
  view: string | undefined;
  profile: string | undefined;
  endedAt: number | undefined;
  #isInputWhole = false;
  #isTakenBack = false;
  /** Browser permissions that the person is asked about now: until they are answered, there is no app. */
  permissions: readonly string[] = [];
  /** Takes the call back. */
  oncancel: (() => unknown) | undefined;

  /** @param key its name in this page; of one that the gateway tells of the gateway's */
  constructor(told: ToldCall, key = told.id) {
    super();
    const { id, at, by, agent, turn, server, tool, app, state, hasApp } = told;
    this.key = key;
    this.id = id;
    this.at = at;
    this.by = by;
    this.agent = agent;
    this.turn = turn;
    this.server = server;
    this.tool = tool;
    this.appOf = app;
    this.state = state;
    this.hasApp = hasApp;
    // Later it is this page that knows, and not what it had said then.
    const { profile, document, isClosed = false } = readPage(told.page);
    this.profile = profile;
    this.document = document;
    this.isAppClosed = isClosed;
    this.#read(told);
  }

  /** The person is asked about a permission of the app before it is shown. */
  async asked(permission: string, answer: Promise<unknown>): Promise<void> {
    this.permissions = [...this.permissions, permission];
    this.changed();
    await answer.catch(() => {});
    const at = this.permissions.indexOf(permission);
    this.permissions = this.permissions.filter((_, index) => index !== at);
    this.changed();
  }

  /** It is to be shown in an app. */
  get wantsApp(): boolean {
    return this.hasApp && !this.isAppClosed;
  }

  /** Nothing more comes of it. */
  get isOver(): boolean {
    return this.state !== "writing" && this.state !== "running";
  }

  /** What the page wants to be remembered with it. */
  get page(): CallPage {
    const { key, profile, document } = this;
    return { key, profile, document, ...(this.isAppClosed && { isClosed: true }) };
  }

  /** The gateway says how it is now. */
  take(told: ToldCall): void {
    this.#read(told);
    this.changed();
  }

  /** The model went on with its arguments. */
  write(text: string): void {
    this.inputText = (this.inputText ?? "") + text;
    this.changed();
  }

  update(
    change: Partial<
      Pick<
        CallItem,
        "state" | "progress" | "result" | "problem" | "app" | "isAppClosed" | "view" | "document" | "note"
      >
    >,
  ): void {
    Object.assign(this, change);
    if (this.isOver) this.endedAt ??= Date.now();
    this.changed();
  }

  /** Its app has this document now. Without a hash nothing is known of it. Returns whether that is new. */
  shows(document: string | undefined): boolean {
    if (document === undefined || document === this.document) return false;
    this.update({ document, ...(this.document !== undefined && { note: CHANGED }) });
    return true;
  }

  /** The gateway has this document now, and the app goes on with the one that it has. */
  goesOn(document: string | undefined): void {
    const isOther = document !== undefined && this.document !== undefined && document !== this.document;
    if (isOther) this.update({ note: `${CHANGED} The app is still the one from before.` });
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
      this.update({ problem: `The call could not be taken back: ${messageOf(error)}` });
    }
  }

  /** It came to no answer: because the person did not want it any more, or for another reason. */
  end(problem: string | undefined): void {
    if (this.isOver) return;
    this.update(this.#isTakenBack ? { state: "cancelled" } : { state: "failed", problem });
  }

  /** Resolves when it is over, if it is not yet. */
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
    this.id = told.id;
    this.at = told.at;
    this.state = told.state;
    // Of its own calls the page knows before the gateway does. Of the model's, the gateway takes it back if no server is called.
    this.hasApp = told.hasApp || (this.by === "person" && this.hasApp);
    this.inputText = told.inputText;
    // A page that has all of them goes on with them, until it is reloaded.
    if (!told.isInputCut || !this.#isInputWhole) {
      this.input = told.input ?? this.input;
      this.isInputCut = told.isInputCut ?? false;
      this.#isInputWhole = told.input !== undefined && !this.isInputCut;
    }
    this.progress = this.isOver ? undefined : readProgress(told.progress);
    // What it answered is the server's, and may be anything. It does not change, and is read once.
    if (told.result && !this.result) this.result = readResult(told.result);
    this.isResultLost = !this.result && (told.isResultLost ?? false);
    this.endedAt = told.endedAt;
    const isKnown = this.#isTakenBack && told.state === "cancelled";
    // Without one, what is wrong with the app stays said.
    if (told.problem !== undefined && !isKnown) this.problem = told.problem;
  }
}
