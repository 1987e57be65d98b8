/**
 * The host test interface: lets a program drive this host without searching its page (docs/host-test.md).
 *
 * @module
 */
import type { CallToolResult, ContentBlock, HostContext } from "@vitrine/protocol";
import type { ModelViewMessage, ModelViewTool, SpeakingApp } from "@vitrine/wire";

/** The global name of the interface. */
export const HOST_TEST_NAME = "__mcpAppsHost";

/** A message or action, in order. */
export interface ConversationMessage {
  readonly id: string;
  /** The author: the user, or an app on the user's behalf; the model; a called tool; or the host itself. */
  readonly role: "user" | "assistant" | "tool" | "host";
  /** The message, or the tool's answer so far. */
  readonly content: readonly ContentBlock[];
  /** Its state; complete messages are `done`. */
  readonly state: "streaming" | "writing" | "running" | "done" | "stopped" | "failed" | "cancelled";
  /** The app that sent it on the user's behalf. */
  readonly from?: SpeakingApp | undefined;
  /** The call, if it is one. */
  readonly call?: ConversationToolCall | undefined;
  /** The problem, if it failed. */
  readonly problem?: string | undefined;
}

/** A call in the conversation. */
export interface ConversationToolCall {
  readonly server: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly by: "person" | "model";
  /** The app whose tool it is, if it is not a server's. */
  readonly app?: SpeakingApp | undefined;
}

/** A tool that the model is offered. */
export interface ContextTool extends Omit<ModelViewTool, "tool"> {
  /** Its own name, in its server or app. */
  readonly name: string;
  /** Its name for this host's model. */
  readonly offeredAs: string;
}

/** The input that the model would get now. */
export interface ConversationContext {
  readonly system: string;
  /** At the end are the apps' contexts that the model has not received yet. */
  readonly messages: readonly ModelViewMessage[];
  readonly tools: readonly ContextTool[];
}

/** The parts of the host context that can be changed. */
export type ChangedHostContext = Pick<
  HostContext,
  "theme" | "displayMode" | "locale" | "timeZone" | "platform" | "safeAreaInsets" | "deviceCapabilities"
> & {
  /** Pixels. */
  readonly containerDimensions?: { width?: number; height?: number; maxHeight?: number } | undefined;
};

/** Selects the question and its answer. */
export interface WhichAction {
  /**
   * Only a question of this method, such as `ui/open-link`. An app has one question at a time: answer earlier
   * ones first.
   */
  readonly method?: string | undefined;
  /** Values for the form of a server's elicitation. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** A question to the user that was answered. */
export interface ConfirmedAction {
  /**
   * The method: `ui/open-link`, `ui/message`, `tools/call`, `sampling/createMessage`, `elicitation/create`
   * and so on.
   */
  readonly method: string;
  readonly server: string;
  /** The text that the user reads. */
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The interface. Failures reject with a message that contains the solution. */
export interface HostTestApi {
  /**
   * Calls a tool that has an app, in a new conversation. Resolves when the app is initialized, to its outer
   * frame, which has the `sandbox` and `allow` attributes and contains the sandbox proxy.
   *
   * @param suite `server/tool`, or the name of a tool, or of a server with one such tool
   */
  displayTestApp(suite: string, input?: Record<string, unknown>): Promise<HTMLIFrameElement>;
  /**
   * Starts a new conversation with the initial look: pending questions are denied, everything in progress is
   * stopped, apps are torn down, and the conversations of {@link displayTestApp} are deleted.
   */
  resetEnvironment(): Promise<void>;
  getConversation(): Promise<ConversationMessage[]>;
  getConversationContext(): Promise<ConversationContext>;
  /**
   * Changes the host context of apps; open ones are notified immediately. All or nothing: it rejects with
   * `invalid` for a key that cannot be changed or an invalid value, and with `unsupported` for a display mode
   * that the profile lacks or an open app does not declare.
   */
  changeHostContext(context: ChangedHostContext): Promise<void>;
  /** Answers the oldest question, or waits for one. The answer is not remembered. */
  confirmAction(answer?: "allow" | "deny", which?: WhichAction): Promise<ConfirmedAction>;
  /**
   * Sends a message as the user. Resolves when the model has answered, or a question waits for {@link
   * confirmAction}.
   */
  sendMessage(text: string): Promise<void>;
  /**
   * Calls a tool as the model would, and resolves to its result. A call that needs consent waits for {@link
   * confirmAction}.
   *
   * @param name the model's name of the tool, or its own name if that is unique
   */
  callTool(name: string, input?: Record<string, unknown>): Promise<CallToolResult>;
}
