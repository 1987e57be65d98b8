/**
 * A page of a user: its views, its questions, and its requests to the gateway.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Conversations } from "@vitrine/conversation";
import type { ConsentAnswer, Question } from "@vitrine/guard";
import {
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RequestId,
  recordOf,
  type ToolVisibility,
  VitrineError,
} from "@vitrine/protocol";
import type {
  GatewayAsks,
  GatewayNotices,
  GatewayQuestion,
  GatewayRequests,
  ModelRequests,
  OpenedView,
  ServerCatalogue,
  ServerSummary,
  SignInRequests,
  SpeakingApp,
  StderrLine,
} from "@vitrine/wire";
import { traceparentIn } from "../guard/trace.js";
import { type Administration, PageSetup } from "../setup/page-setup.js";
import type { KnownServers } from "../store/known-servers.js";
import { headOf, isTooComplex, tooComplex } from "./complexity.js";
import { PacedNotices } from "./paced-notices.js";
import { PageConversations } from "./page-conversations.js";
import { PageEnd } from "./page-end.js";
import { PageInspection, type PageInspectionOptions } from "./page-inspection.js";
import { MODEL_HANDLERS, type ModelService } from "./page-models.js";
import { isPageMethod, type PageAnswer, type PageRequest, pageParams } from "./page-params.js";
import { PageQuestions } from "./page-questions.js";
import { type PageSignInOptions, SIGN_IN_HANDLERS } from "./page-sign-in.js";
import { PageViews, type PageViewsOptions } from "./page-views.js";
import { withoutToken } from "./progress-token.js";
import { errorMessage, isId, isUnexpected, keyOf, notificationMessage, parse, resultMessage } from "./rpc.js";
import { SmallMap } from "./small-map.js";

/** Options of {@link PageSession}. */
export interface PageOptions
  extends PageViewsOptions,
    Pick<PageInspectionOptions, "capabilities" | "declarable" | "roots" | "tasks" | "isShared" | "fields">,
    Pick<PageSignInOptions, "oauthSession" | "markSignIn"> {
  /** Whether programs may control the page; false by default. */
  readonly testMode?: boolean | undefined;
  /** Shared by all users: the page only sees the user's own. */
  readonly conversations: Conversations;
  /** The history of servers' names. */
  readonly known: Pick<KnownServers, "isHeir" | "settled">;
  readonly models: ModelService;
  /** The settings file and the logs, for users who may administer; without it, nobody may. */
  readonly administration?: Administration | undefined;
  /** All servers of the user. */
  summaries(): ServerSummary[];
  catalogue(name: string, who?: ToolVisibility): Promise<ServerCatalogue>;
  start(name: string): Promise<ServerSummary>;
  restart(name: string): Promise<ServerSummary>;
}

/** Maximum pending requests. */
const MAX_OPEN = 1000;

/** A pending request. */
interface OpenRequest {
  readonly controller: AbortController;
  readonly method: string;
  readonly params: unknown;
  /** Whether it was sent before a reload, and may be repeated. */
  isLeft: boolean;
}

/** A page that is connected, or may reconnect. */
export class PageSession {
  readonly #options: PageOptions;
  readonly #views: PageViews;
  readonly #open = new SmallMap<RequestId, OpenRequest>();
  /** Views by the request that opened them: a page may cancel a request whose answer is on its way. */
  readonly #openedBy = new SmallMap<RequestId, string>();
  #isRenewed = false;
  #isHeld = false;
  readonly #questions: PageQuestions;
  readonly #notices: PacedNotices;
  readonly #conversations: PageConversations;
  readonly #setup: PageSetup;
  /** Created at the first request about a server: most pages inspect none. */
  #inspected: PageInspection | undefined;
  readonly #ended = new PageEnd();

  constructor(options: PageOptions) {
    this.#options = options;
    const send = (text: string): void => options.wire.send(".", text);
    this.#questions = new PageQuestions(send);
    this.#notices = new PacedNotices({ send, isCongested: () => options.wire.isFull });
    const { user, conversations, known, messageLimit, testMode = false } = options;
    this.#conversations = new PageConversations({
      user,
      conversations,
      known,
      testMode,
      messageLimit,
      isCongested: () => options.wire.isFull,
      isConnected: () => options.wire.isConnected,
      view: (id) => this.#views.get(id)?.opened,
      changed: (notice) => this.notify("conversation/changed", notice),
    });
    this.#setup = new PageSetup(user, options.administration, (server, lines) =>
      this.notify("gateway/stderr", { server, lines }),
    );
    this.#views = new PageViews(options, this.#conversations, this.#ended, (view) => {
      for (const [request, opened] of this.#openedBy) if (opened === view) this.#openedBy.delete(request);
    });
  }

  /** Whether the user could answer now. */
  get isConnected(): boolean {
    return this.#options.wire.isConnected;
  }

  get #inspection(): PageInspection {
    const options = this.#options;
    this.#inspected ??= new PageInspection({
      user: options.user,
      capabilities: options.capabilities,
      declarable: (guard) => options.declarable(guard),
      roots: options.roots,
      tasks: options.tasks,
      pass: options.pass,
      server: (name, identity) => options.server(name, identity),
      isShared: (name) => options.isShared(name),
      fields: () => options.fields(),
      isCongested: () => options.wire.isFull,
      send: (method, params) => this.notify(method, params),
      notify: (kind, method, params) => {
        if (!this.#ended.isOver) this.#notices.notify(kind, notificationMessage(method, params));
      },
      onerror: (error) => options.onerror(error),
    });
    return this.#inspected;
  }

  /** Number of views. */
  get size(): number {
    return this.#views.size;
  }

  /** Whether the user has a question to answer. */
  get isAsking(): boolean {
    return this.#questions.size > 0;
  }

  /** Asks the user; see {@link PageQuestions.ask}. */
  ask(
    question: Question,
    remember: GatewayQuestion["remember"],
    signal: AbortSignal,
  ): Promise<ConsentAnswer> {
    return this.#questions.ask(question, remember, signal);
  }

  /** The app of a view, as the user knows it, if it is in a conversation. */
  speaker(view: string): SpeakingApp | undefined {
    return this.#conversations.speaker(view);
  }

  /** Sends a request to the page; see {@link PageQuestions.request}. */
  request<M extends keyof GatewayAsks>(
    method: M,
    params: (id: string) => GatewayAsks[M]["params"],
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#questions.request(method, params, signal);
  }

  /** Sends a notification about the gateway to the page. */
  notify<M extends keyof GatewayNotices>(method: M, params: GatewayNotices[M]): void {
    if (!this.#ended.isOver) this.#options.wire.send(".", notificationMessage(method, params));
  }

  /** Sends new lines of a server's log, if the page follows it. */
  logged(server: string, lines: StderrLine[]): void {
    this.#setup.lines(server, lines);
  }

  /** Sends the state of a server to the page. */
  notifyServer(name: string): void {
    const summary = this.#options.summaries().find((each) => each.name === name);
    if (summary) this.notify("gateway/status", summary);
  }

  /**
   * Starts no more requests of the page. They stay unanswered, and the page sends them again under the same
   * ids when it has reconnected. Answers and cancellations still count, so pending requests can end.
   */
  hold(): void {
    this.#isHeld = true;
  }

  /** Handles a message of the page. */
  receive(channel: string, text: string): void {
    if (this.#isHeld && isRequest(text)) return;
    if (channel === ".") this.#receive(text);
    else this.#views.receive(channel, text);
  }

  /** Sends delayed notifications, because the page reads again. */
  resume(): void {
    this.#notices.resume();
    this.#conversations.resume();
    this.#inspected?.resume();
    this.#views.resume();
  }

  /** Moves views to a server with new settings, or one that is back. */
  moved(name: string): void {
    this.#views.moved(name);
    this.#inspected?.moved(name);
  }

  /** Detaches the views of a removed server. */
  removed(name: string): void {
    this.#views.removed(name);
    this.#inspected?.removed(name);
  }

  /** A reloaded page has replaced this one. */
  renewed(): void {
    this.#isRenewed = true;
    // Pages that count 1, 2, 3 use the same id for another request.
    for (const [id, open] of this.#open) open.isLeft = keyOf(id) !== undefined;
    this.#openedBy.clear();
    this.#setup.reset();
    this.#views.renewed();
    this.#inspected?.clear();
    this.#questions.again();
  }

  /** Ends the session permanently. */
  end(): void {
    this.#ended.end();
    for (const { controller } of this.#open.values()) controller.abort();
    this.#views.end();
    this.#inspected?.end();
    this.#conversations.end();
    this.#setup.reset();
    this.#notices.clear();
    this.#questions.close();
  }

  #receive(text: string): void {
    const { wire } = this.#options;
    if (isTooComplex(text)) {
      const head = headOf(text);
      if (head) wire.send(".", errorMessage(head.id, tooComplex()));
      return;
    }
    const message = parse(text);
    const { id, method, params, result, error } = message;
    if (method === "notifications/cancelled") {
      const { requestId } = recordOf(params);
      if (isId(requestId)) this.#cancel(requestId);
    } else if (!isId(id)) {
      if (method === undefined)
        wire.send(".", errorMessage(null, new VitrineError(PARSE_ERROR, "this is not a JSON-RPC message")));
    } else if (method === undefined) this.#questions.answered(id, result, error);
    else if (typeof method === "string")
      this.#answer(id, method, params ?? {}).catch((error: unknown) => this.#options.onerror(error));
    else wire.send(".", errorMessage(id, new VitrineError(INVALID_REQUEST, "the method must be a string")));
  }

  #cancel(id: RequestId): void {
    this.#open.get(id)?.controller.abort();
    const view = this.#openedBy.get(id);
    if (view !== undefined) this.#views.close(view);
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const { wire } = this.#options;
    if (this.#goesOn(id, method, params)) return;
    if (this.#open.has(id) || this.#open.size >= MAX_OPEN) {
      const why = this.#open.has(id) ? `the id ${id} is in use` : "too many requests are pending";
      return wire.send(".", errorMessage(id, new VitrineError(INVALID_REQUEST, why)));
    }
    const controller = new AbortController();
    const trace = traceparentIn(params);
    const { token, rest } = withoutToken(params as Record<string, unknown>);
    this.#open.set(id, { controller, method, params: rest, isLeft: false });
    this.#openedBy.delete(id);
    let answer: string;
    let afterAnswer = (): void => {};
    try {
      const request: PageRequest = {
        key: keyOf(id),
        trace,
        signal: controller.signal,
        mayBeOld: this.#options.mayBeOld || this.#isRenewed,
        afterAnswer: (action) => {
          afterAnswer = action;
        },
        ...(token !== undefined && {
          onprogress: (progress) => !controller.signal.aborted && this.#notices.progress(token, progress),
        }),
      };
      const result = await this.#do(method, params, request);
      if (isOpening(method)) this.#hasOpened(id, (result as OpenedView).view, controller.signal);
      answer = resultMessage(id, result, isCall(method, params), this.#options.messageLimit);
    } catch (error) {
      // The page will not learn of the view.
      const view = this.#openedBy.get(id);
      if (view !== undefined) this.#views.close(view);
      if (isUnexpected(error)) this.#options.onerror(error);
      answer = errorMessage(id, error, trace);
    } finally {
      this.#open.delete(id);
      this.#notices.endProgress(token);
    }
    if (controller.signal.aborted) return;
    wire.send(".", answer);
    afterAnswer();
  }

  #hasOpened(id: RequestId, view: string, { aborted }: AbortSignal): void {
    if (aborted) this.#views.close(view);
    else this.#openedBy.set(id, view);
  }

  /**
   * Whether this request was sent before a reload and is still running: its answer goes to the current page.
   * A cancelled request is not answered.
   */
  #goesOn(id: RequestId, method: string, params: unknown): boolean {
    const open = this.#open.get(id);
    if (!open?.isLeft || open.controller.signal.aborted) return false;
    const { rest } = withoutToken(params as Record<string, unknown>);
    if (open.method !== method || !isDeepStrictEqual(open.params, rest)) return false;
    open.isLeft = false;
    return true;
  }

  #servers(): GatewayRequests["gateway/servers"]["result"] {
    const { testMode } = this.#options;
    return {
      servers: this.#options.summaries(),
      ...(testMode && { testMode: true }),
      ...(this.#setup.isAllowed && { mayAdminister: true }),
    };
  }

  #do(method: string, asked: unknown, request: PageRequest): unknown {
    if (!isPageMethod(method)) throw new VitrineError(METHOD_NOT_FOUND, `unknown method ${method}`);
    const params = pageParams(method, asked) as never;
    if (PageViews.handles(method)) return this.#views.handle(method, params, request);
    if (PageConversations.handles(method)) return this.#conversations.handle(method, params, request);
    if (PageSetup.handles(method)) return this.#setup.handle(method, params);
    if (method === "gateway/servers") return this.#servers();
    if (PageInspection.handles(method)) return this.#inspection.handle(method, params, request);
    return HANDLERS[method](this.#options, params);
  }
}

/** Requests about servers and models. */
type OtherMethod =
  | keyof ModelRequests
  | keyof SignInRequests
  | "gateway/catalogue"
  | "gateway/start"
  | "gateway/restart";

const HANDLERS: {
  readonly [M in OtherMethod]: (page: PageOptions, params: GatewayRequests[M]["params"]) => PageAnswer<M>;
} = {
  ...MODEL_HANDLERS,
  ...SIGN_IN_HANDLERS,
  "gateway/catalogue": (page, { server, for: who }) => page.catalogue(server, who),
  "gateway/start": (page, { server }) => page.start(server),
  "gateway/restart": (page, { server }) => page.restart(server),
};

/** Whether a request calls a tool. */
const isCall = (method: string, params: unknown): boolean =>
  method === "gateway/call" || (method === "gateway/open" && recordOf(params)["arguments"] !== undefined);
/** Whether a message asks for something. One that is too complex to parse is refused later. */
function isRequest(text: string): boolean {
  if (isTooComplex(text)) return false;
  const { id, method } = parse(text);
  return isId(id) && typeof method === "string";
}
const isOpening = (method: string): boolean => method === "gateway/open" || method === "gateway/show";
