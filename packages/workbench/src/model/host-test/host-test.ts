/**
 * Implements the host test interface in this page. It exists only in test mode, which only the operator can
 * enable.
 *
 * @module
 */
import { type CallToolResult, isVisibleTo, VitrineError } from "@vitrine/protocol";
import type { GatewayAnswer, GatewayQuestion } from "@vitrine/wire";
import type { PageCall } from "../app/call-item.js";
import type { Workbench } from "../workbench.js";
import {
  type ChangedHostContext,
  type ConfirmedAction,
  type ConversationContext,
  type ConversationMessage,
  HOST_TEST_NAME,
  type HostTestApi,
  type WhichAction,
} from "./host-test-api.js";
import { lookOf, messageFor } from "./host-test-words.js";

/** The parts of the page that it drives. */
export type HostTestPage = Pick<
  Workbench,
  "gateway" | "conversation" | "servers" | "questions" | "look" | "asking"
>;

/** Options of {@link HostTest}. */
export interface HostTestOptions {
  /** The page's initial theme, and a function that changes it. */
  readonly theme: PageTheme;
  readonly onTheme: (theme: PageTheme) => void;
  /** Timeout in milliseconds; 30,000 by default. */
  readonly limit?: number | undefined;
}

type PageTheme = "system" | "light" | "dark";

/** A tool that has an app. */
interface TestApp {
  readonly server: string;
  readonly tool: string;
}

/** A pending question. */
interface Asked extends ConfirmedAction {
  answer(isYes: boolean, content: Record<string, unknown> | undefined): void;
}

/** Milliseconds between polls: the awaited state is spread over many objects. */
const LOOK = 20;

/** Drives the page for a program. */
export class HostTest implements HostTestApi {
  readonly #page: HostTestPage;
  readonly #options: HostTestOptions;
  readonly #look: HostTestPage["look"];
  readonly #asked = new Set<Asked>();
  /** Conversations that were started here. */
  readonly #begun = new Set<string>();

  constructor(page: HostTestPage, options: HostTestOptions) {
    this.#page = page;
    this.#options = options;
    this.#look = page.look;
    const ask = page.asking;
    page.asking = (question, signal) => this.#ask(ask, question, signal);
  }

  async displayTestApp(suite: string, input: Record<string, unknown> = {}): Promise<HTMLIFrameElement> {
    const { conversation } = this.#page;
    const { server, tool } = await this.#find(suite);
    await this.#begin();
    const item = conversation.call(server, tool, input, true);
    await this.#until(
      () => `the app of ${server}/${tool}`,
      () => isShownOrFailed(item),
    );
    const frame = item.app?.element.shadowRoot?.querySelector("iframe");
    if (item.app?.state === "ready" && frame) return frame;
    const why = item.app?.failure;
    const problem = why ? `${why.code}: ${why.detail ?? why.message}` : item.problem;
    throw new VitrineError("closed", `the app of ${server}/${tool} is not shown: ${problem ?? item.state}`);
  }

  async resetEnvironment(): Promise<void> {
    const { conversation, gateway } = this.#page;
    for (const asked of this.#open()) asked.answer(false, undefined);
    if (conversation.isRunning) await conversation.stop();
    this.#options.onTheme(this.#options.theme);
    this.#page.look = this.#look;
    const before = [...this.#begun];
    await this.#begin();
    for (const id of before) {
      if (id === conversation.id) continue;
      await gateway.request("conversation/delete", { id });
      this.#begun.delete(id);
    }
  }

  async getConversation(): Promise<ConversationMessage[]> {
    return structuredClone(this.#page.conversation.items.map(messageFor));
  }

  async getConversationContext(): Promise<ConversationContext> {
    const view = await this.#page.gateway.request("conversation/model-view", { id: this.#id() });
    const tools = view.tools.map(({ name, tool, ...more }) => ({ ...more, name: tool, offeredAs: name }));
    return { ...view, tools };
  }

  async changeHostContext(context: ChangedHostContext): Promise<void> {
    const change = lookOf(context);
    const { displayMode } = change;
    const { apps } = this.#page.conversation;
    // All or nothing: one app that does not support the mode stops the whole change.
    const unfit = displayMode && apps.find(({ modes }) => !modes.includes(displayMode));
    if (unfit) throw new VitrineError("unsupported", unfit.modeProblem(displayMode));
    if (change.theme) this.#options.onTheme(change.theme);
    this.#page.look = { ...this.#page.look, ...change };
    for (const app of apps) app.setLook({ ...app.look, ...change });
  }

  async confirmAction(
    answer: "allow" | "deny" = "allow",
    { method: wanted, content }: WhichAction = {},
  ): Promise<ConfirmedAction> {
    if (answer !== "allow" && answer !== "deny")
      throw new VitrineError("invalid", 'confirmAction takes "allow" or "deny"');
    const find = (): Asked | undefined =>
      this.#open().find(({ method }) => wanted === undefined || method === wanted);
    // An app has one question at a time: earlier ones must be answered first.
    const others = (): string =>
      this.#open()
        .map(({ method, title }) => `${method} (${title})`)
        .join(", ");
    await this.#until(
      () => `a question about ${wanted ?? "anything"}; open are: ${others() || "none"}`,
      () => find() !== undefined,
    );
    const found = find();
    if (!found) throw new VitrineError("closed", "the question was taken back");
    const { method, server, title, params } = found;
    found.answer(answer === "allow", content && { ...content });
    return structuredClone({ method, server, title, params });
  }

  async sendMessage(text: string): Promise<void> {
    const { conversation } = this.#page;
    await conversation.send(text);
    // Also ends at a question: a caller that waits for the answer could not approve it. Turns have their own
    // timeout.
    await this.#until(
      () => "the model's answer",
      () => !conversation.isRunning || this.#open().length > 0,
      Number.POSITIVE_INFINITY,
    );
  }

  async callTool(name: string, input: Record<string, unknown> = {}): Promise<CallToolResult> {
    const { gateway, conversation } = this.#page;
    const { tools } = await this.getConversationContext();
    const byName = tools.filter((tool) => tool.name === name);
    const found = tools.find(({ offeredAs }) => offeredAs === name) ?? byName[0];
    const names = (of: typeof tools): string => of.map(({ offeredAs }) => offeredAs).join(", ");
    if (!found)
      throw new VitrineError("invalid", `the model is offered no tool "${name}", but: ${names(tools)}`);
    if (found.offeredAs !== name && byName.length > 1)
      throw new VitrineError("invalid", `several tools are called "${name}": name one of ${names(byName)}`);
    const call = { id: this.#id(), name: found.offeredAs, arguments: input };
    const { item: id } = await gateway.request("conversation/model-call", call);
    const find = (): PageCall | undefined =>
      conversation.items.find((item): item is PageCall => item.kind === "call" && item.id === id);
    await this.#until(
      () => `the entry of the call of ${name}`,
      () => find() !== undefined,
    );
    const item = find();
    await item?.over();
    if (item?.result) return structuredClone(item.result);
    throw new VitrineError("closed", `${name} has no result: ${item?.problem ?? "it was cancelled"}`);
  }

  /** Starts a new conversation, and records it as ours. */
  async #begin(): Promise<void> {
    const { conversation } = this.#page;
    await conversation.open();
    if (conversation.problem !== undefined) throw new VitrineError("closed", conversation.problem);
    this.#begun.add(this.#id());
  }

  #id(): string {
    const { id } = this.#page.conversation;
    if (id === undefined) throw new VitrineError("closed", "no conversation is open: call resetEnvironment");
    return id;
  }

  /** Finds the tool: one with an app, which the model may call. */
  async #find(suite: string): Promise<TestApp> {
    const { servers } = this.#page;
    await this.#until(
      () => "what the servers offer",
      () => servers.isSettled,
    );
    const all = servers.list.flatMap(({ summary: { name: server }, catalogue }) =>
      (catalogue?.views ?? []).flatMap(({ tool }) => {
        const described = servers.tool(server, tool);
        return described && isVisibleTo(described, "model") ? [{ server, tool }] : [];
      }),
    );
    const names = (of: typeof all): string => of.map(wholeName).join(", ");
    for (const nameOf of [wholeName, ({ tool }: TestApp) => tool, ({ server }: TestApp) => server]) {
      const found = all.filter((each) => nameOf(each) === suite);
      const [first] = found;
      if (first && found.length === 1) return first;
      if (first) throw new VitrineError("invalid", `"${suite}" may mean ${names(found)}: name one of them`);
    }
    throw new VitrineError("invalid", `there is no app "${suite}"; there are: ${names(all) || "none"}`);
  }

  /** Pending questions: those of the gateway first, in order. */
  #open(): Asked[] {
    const { sampling, elicitations } = this.#page.questions;
    return [
      ...this.#asked,
      ...sampling.map(({ question, answer }) => ({
        method: "sampling/createMessage",
        server: question.server,
        title: question.model,
        params: { ...question },
        answer: (isYes: boolean) => answer({ answer: isYes ? "allow" : "deny" }),
      })),
      ...elicitations.map(({ question, answer }) => ({
        method: "elicitation/create",
        server: question.server,
        title: question.message,
        params: { ...question },
        answer: (isYes: boolean, content?: Record<string, unknown>) =>
          answer(isYes ? { action: "accept", ...(content && { content }) } : { action: "decline" }),
      })),
    ];
  }

  /** The user sees the question as always: the first answer counts. */
  async #ask(
    ask: HostTestPage["asking"],
    question: GatewayQuestion,
    signal: AbortSignal,
  ): Promise<GatewayAnswer> {
    const answered = new AbortController();
    const { method, server, title, params } = question;
    let asked: Asked | undefined;
    const byProgram = new Promise<GatewayAnswer>((resolve) => {
      asked = {
        method,
        server,
        title,
        params,
        answer: (isYes) => {
          resolve({ answer: isYes ? "allow" : "deny", remember: "once" });
          if (asked) this.#asked.delete(asked);
        },
      };
      this.#asked.add(asked);
    });
    try {
      return await Promise.race([byProgram, ask(question, AbortSignal.any([signal, answered.signal]))]);
    } finally {
      if (asked) this.#asked.delete(asked);
      // Removes the prompt from the page.
      answered.abort();
    }
  }

  async #until(
    what: () => string,
    isSo: () => boolean,
    limit = this.#options.limit ?? 30_000,
  ): Promise<void> {
    const from = performance.now();
    while (!isSo()) {
      if (performance.now() - from > limit)
        throw new VitrineError("timeout", `${limit} ms were waited in vain for ${what()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }
}

/** Whether the wait is over: a call whose app failed reports that while it may still be running. */
const isShownOrFailed = ({ app, state, problem }: PageCall): boolean =>
  app
    ? /^(ready|failed|closed)$/.test(app.state)
    : problem !== undefined || /^(failed|cancelled)$/.test(state);

const wholeName = ({ server, tool }: TestApp): string => `${server}/${tool}`;

/** Lets programs drive the page while its gateway is in test mode. */
export function exposeHostTest(page: HostTestPage, options: HostTestOptions): void {
  const test = new HostTest(page, options);
  const value = Object.freeze({
    displayTestApp: test.displayTestApp.bind(test),
    resetEnvironment: test.resetEnvironment.bind(test),
    getConversation: test.getConversation.bind(test),
    getConversationContext: test.getConversationContext.bind(test),
    changeHostContext: test.changeHostContext.bind(test),
    confirmAction: test.confirmAction.bind(test),
    sendMessage: test.sendMessage.bind(test),
    callTool: test.callTool.bind(test),
  } satisfies HostTestApi);
  const { servers } = page;
  const draw = (): void => {
    if (servers.isTestMode) Object.defineProperty(globalThis, HOST_TEST_NAME, { value, configurable: true });
    // Another gateway answers at this address now.
    else Reflect.deleteProperty(globalThis, HOST_TEST_NAME);
  };
  servers.subscribe(draw);
  draw();
}
