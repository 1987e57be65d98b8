/**
 * The host test interface: how a program drives this host without looking for anything in its page (docs/host-test.md).
 *
 * @module
 */
import type { CallToolResult, ContentBlock, HostContext } from "@vitrine/protocol";
import type { ModelViewMessage, ModelViewTool, SpeakingApp } from "@vitrine/wire";

/** The name of the interface among the page's globals. */
export const HOST_TEST_NAME = "__mcpAppsHost";

/** What was said or done, in its order. */
export interface ConversationMessage {
  readonly id: string;
  /** Who: the person, or an app in their place; the model; a tool that was called; the host itself, with a note. */
  readonly role: "user" | "assistant" | "tool" | "host";
  /** What was said, or what a tool answered so far. */
  readonly content: readonly ContentBlock[];
  /** How far it has come; what is said at once is `done`. */
  readonly state: "streaming" | "writing" | "running" | "done" | "stopped" | "failed" | "cancelled";
  /** The app that said it in the person's place. */
  readonly from?: SpeakingApp | undefined;
  /** The call, where it is one. */
  readonly call?: ConversationToolCall | undefined;
  /** What went wrong. */
  readonly problem?: string | undefined;
}

/** A call in the conversation. */
export interface ConversationToolCall {
  readonly server: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly by: "person" | "model";
  /** The app whose tool it is, for one that is no server's. */
  readonly app?: SpeakingApp | undefined;
}

/** A tool that the model is offered. */
export interface ContextTool extends Omit<ModelViewTool, "tool"> {
  /** Its own name, at its server or in its app. */
  readonly name: string;
  /** The name by which this host's model calls it. */
  readonly offeredAs: string;
}

/** What the model would be told, if the person said something now. */
export interface ConversationContext {
  readonly system: string;
  /** At the end, what apps want the model to know and it was not told yet. */
  readonly messages: readonly ModelViewMessage[];
  readonly tools: readonly ContextTool[];
}

/** What can be changed of where apps run. */
export type ChangedHostContext = Pick<
  HostContext,
  "theme" | "displayMode" | "locale" | "timeZone" | "platform" | "safeAreaInsets" | "deviceCapabilities"
> & {
  /** Pixels. */
  readonly containerDimensions?: { width?: number; height?: number; maxHeight?: number } | undefined;
};

/** Which question is answered, and what with. */
export interface WhichAction {
  /** Only one of this method, such as `ui/open-link`. An app is asked about one thing at a time: answer others before. */
  readonly method?: string | undefined;
  /** What is filled into the form of a server that asks for something. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** What was asked of the person, and answered in their place. */
export interface ConfirmedAction {
  /** Such as `ui/open-link`, `ui/message`, `tools/call`, `sampling/createMessage`, `elicitation/create`. */
  readonly method: string;
  readonly server: string;
  /** What the person reads. */
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The interface. What goes wrong rejects, with a sentence that says what to do. */
export interface HostTestApi {
  /**
   * Calls a tool that has an app, in a new conversation. Resolves when the app is initialized, to its frame: the outer one, which
   * has the `sandbox` and `allow` attributes and the sandbox proxy in it.
   *
   * @param suite `server/tool`, or the name of a tool, or of a server with one such tool
   */
  displayTestApp(suite: string, input?: Record<string, unknown>): Promise<HTMLIFrameElement>;
  /**
   * A new conversation, with the look of the start: what waits for an answer is denied, what is under way is stopped, apps are
   * asked to finish, and the conversations of {@link displayTestApp} are deleted.
   */
  resetEnvironment(): Promise<void>;
  getConversation(): Promise<ConversationMessage[]>;
  getConversationContext(): Promise<ConversationContext>;
  /**
   * Changes where apps believe they run: those that are open are told at once. All of it or nothing is done: it rejects with
   * `invalid` for a key that cannot be changed or a value that the key cannot have, and with `unsupported` for a display mode
   * that the profile does not have or an open app does not declare.
   */
  changeHostContext(context: ChangedHostContext): Promise<void>;
  /** Answers the question that was asked first, waiting for one if there is none yet. Nothing of it is remembered. */
  confirmAction(answer?: "allow" | "deny", which?: WhichAction): Promise<ConfirmedAction>;
  /** Says something as the person. Resolves when the model has answered, or somebody waits for {@link confirmAction}. */
  sendMessage(text: string): Promise<void>;
  /**
   * Calls a tool as the model would, and resolves to its result. One that needs consent waits for {@link confirmAction}.
   *
   * @param name what the model calls it, or its own name if no other tool has it
   */
  callTool(name: string, input?: Record<string, unknown>): Promise<CallToolResult>;
}
