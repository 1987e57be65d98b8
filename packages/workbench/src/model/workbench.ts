/**
 * The page as a whole: its gateway, servers, conversations and settings.
 *
 * @module
 */
import { askInPage, warm } from "@vitrine/host";
import { connectGateway, type GatewayClient, type GatewayState } from "@vitrine/host/gateway";
import type { GatewayAnswer, GatewayQuestion, ViewPlace } from "@vitrine/wire";
import type { AppModel } from "./app/app-model.js";
import type { PageCall } from "./app/call-item.js";
import { PageConversation } from "./conversation/conversation.js";
import { RecentConversations } from "./conversation/conversations.js";
import { keepFromAddress } from "./conversation/kept-conversation.js";
import { ModelList } from "./conversation/models.js";
import { ProviderList } from "./conversation/providers.js";
import { Questions } from "./conversation/questions.js";
import type { StartedApp } from "./conversation/renewals.js";
import type { Look } from "./diagnosis/look.js";
import { messageOf } from "./messages/messages.js";
import { Observable } from "./observable.js";
import { type Profile, STRICT } from "./profiles/profile.js";
import { Servers } from "./servers.js";
import { Setup } from "./setup.js";

/** Milliseconds to wait for an app's first message. */
const FIRST_WORD = 1_000;

/** Starts an app in the background. */
function startUnseen(place: ViewPlace): StartedApp {
  let drop = (): void => {};
  const said = new Promise<void>((resolve) => {
    const late = setTimeout(resolve, FIRST_WORD);
    const onstarted = (): void => {
      clearTimeout(late);
      resolve();
    };
    drop = warm(place, { run: true, onstarted });
  });
  return { said, drop };
}

/** The state of the whole page. There is one instance. */
export class Workbench extends Observable {
  readonly gateway: GatewayClient;
  readonly servers: Servers;
  /** The current conversation. */
  readonly conversation: PageConversation;
  readonly conversations: RecentConversations;
  readonly models: ModelList;
  readonly providers: ProviderList;
  /** The settings file, if the user may change it. */
  readonly setup: Setup;
  /** Questions of servers and apps to the user. */
  readonly questions = new Questions();
  /** State of the connection to the gateway. */
  connection: GatewayState = { phase: "connecting" };
  /** Set while the gateway cannot write its audit log and refuses calls with side effects. */
  alarm: string | undefined;
  /** A problem of the page itself. */
  problem: string | undefined;
  /** Asks the user for approval. */
  asking: (question: GatewayQuestion, signal: AbortSignal) => Promise<GatewayAnswer> = (question, signal) =>
    askInPage(question, signal, () => this.#questionPlace());
  /** Where questions of the model are shown: at the end of the conversation. */
  questionPlace: HTMLElement | undefined;
  readonly #asked = new Set<GatewayQuestion>();
  /** The app that the inspector shows. */
  selected: AppModel | undefined;
  #look: Look = {};
  #profile: Profile = STRICT;
  #profiles: readonly Profile[] = [STRICT];

  constructor() {
    super();
    this.gateway = connectGateway({
      url: "/api/session",
      onask: (question, signal) => this.#ask(question, signal),
      answers: {
        "conversation/app-tool": ({ view, name, arguments: input }, signal) =>
          this.conversation.callAppTool(view, name, input, signal),
        "gateway/sample": (question, signal) => this.questions.sample(question, signal),
        "gateway/elicit": (question, signal) => this.questions.elicit(question, signal),
      },
      onstate: (state) => {
        this.connection = state;
        this.changed();
        // Another gateway, or one that dropped this page's session: its servers and models may differ.
        if (state.phase === "open" && !state.resumed && this.servers.isKnown)
          void this.#load(this.conversation.reopen());
      },
      ontakenover: () => {
        this.problem =
          "This conversation continues in another tab. Its apps are closed here; messages appear in both.";
        this.changed();
      },
    });
    this.gateway.on("gateway/alarm", ({ active, message }) => {
      this.alarm = active ? message : undefined;
      this.changed();
    });
    this.gateway.on("gateway/elicited", (done) => this.questions.completed(done));
    this.servers = new Servers(this.gateway);
    keepFromAddress(sessionStorage);
    this.conversation = new PageConversation({
      gateway: this.gateway,
      storage: sessionStorage,
      look: () => this.#look,
      start: startUnseen,
      warm,
      hasModel: () => (this.conversation.settings.model ?? this.models.state?.current) !== undefined,
      profile: (id) =>
        id === undefined ? this.#profile : (this.#profiles.find((each) => each.id === id) ?? STRICT),
    });
    this.servers.onchangedviews = (server, tools) => this.conversation.renew(server, tools);
    this.servers.onremoved = (server) => void this.conversation.serverRemoved(server);
    this.conversation.onrenewed = (before, after) => {
      if (this.selected === before) this.select(after);
    };
    this.conversations = new RecentConversations({ gateway: this.gateway, conversation: this.conversation });
    this.models = new ModelList(this.gateway);
    this.providers = new ProviderList(this.gateway);
    this.setup = new Setup(this.gateway);
    this.servers.onadministers = (mayAdminister) => void this.setup.load(mayAdminister);
    this.questions.subscribe(() => this.changed());
  }

  /** Look of new apps. */
  get look(): Look {
    return this.#look;
  }
  set look(look: Look) {
    this.#look = look;
    this.changed();
  }

  /** Host profile of new apps. */
  get profile(): Profile {
    return this.#profile;
  }
  set profile(profile: Profile) {
    this.#profile = profile;
    this.changed();
  }

  /** The strict one, until {@link loadProfiles}. */
  get profiles(): readonly Profile[] {
    return this.#profiles;
  }

  /** Loads the profiles of all hosts: most users never leave the strict one. */
  async loadProfiles(): Promise<void> {
    try {
      const { PROFILES } = await import("./profiles/profiles.js");
      this.#profiles = PROFILES;
    } catch (error) {
      this.problem = `The host profiles cannot be loaded: ${messageOf(error)}. Reload the page.`;
    }
    this.changed();
  }

  /** Whether a question waits for the user. */
  get isAsking(): boolean {
    const { sampling, elicitations } = this.questions;
    const isAsked = sampling.length + elicitations.length > 0;
    return isAsked || this.#asked.size > 0;
  }

  /** Whether a question is shown above an app: content below must not scroll it away. */
  get isAskingInApp(): boolean {
    return this.conversation.apps.some(({ questions }) => questions > 0);
  }

  /** Whether a call waits for the user's answer rather than its server. */
  isAskedAbout(call: PageCall): boolean {
    if (call.state !== "running") return false;
    const { server, tool, appOf, input } = call;
    if (this.questions.elicitations.some(({ question }) => question.server === server)) return true;
    const isMeant = ({ view, subject, method, params, ...asked }: GatewayQuestion): boolean =>
      method === "tools/call" &&
      asked.server === server &&
      subject === tool &&
      (appOf !== undefined || view.startsWith("model:")) &&
      isSameJson(params["arguments"], input);
    return [...this.#asked].some(isMeant);
  }

  /** The end of the conversation, unless it is hidden below a fullscreen app or behind another pane. */
  #questionPlace(): HTMLElement | undefined {
    const place = this.questionPlace;
    const isCovered = this.conversation.apps.some(({ element }) =>
      element.shadowRoot?.querySelector("[data-mode=fullscreen],[data-mode=pip]"),
    );
    // An empty place takes no room.
    return place?.parentElement?.checkVisibility() && !isCovered ? place : undefined;
  }

  #ask(question: GatewayQuestion, signal: AbortSignal): Promise<GatewayAnswer> {
    const answer = this.asking(question, signal);
    this.#asked.add(question);
    const end = (): void => {
      this.#asked.delete(question);
      this.changed();
    };
    answer.then(end, end);
    const app = this.conversation.apps.find(({ id }) => id === question.view);
    void app?.asked(answer).then(() => this.changed());
    // Asked before there is an app: the card of its call shows what it waits for.
    if (!app && question.method === "ui/permission") {
      for (const item of this.conversation.items) {
        const isWaiting =
          item.kind === "call" && item.server === question.server && item.wantsApp && !item.app;
        if (isWaiting) void item.asked(question.subject, answer);
      }
    }
    this.changed();
    return answer;
  }

  select(app: AppModel | undefined): void {
    if (app === this.selected) return;
    this.selected = app;
    this.changed();
  }

  /** Loads the initial state. */
  async start(): Promise<void> {
    await this.#load(this.conversation.restore());
  }

  async #load(conversation: Promise<void>): Promise<void> {
    void this.models.load();
    try {
      await Promise.all([this.servers.load(), conversation]);
    } catch (error) {
      this.problem = messageOf(error);
      this.changed();
    }
  }
}

/** Compares arguments that arrived twice: in the call, and in the question about it. */
const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? {}) === JSON.stringify(b ?? {});
