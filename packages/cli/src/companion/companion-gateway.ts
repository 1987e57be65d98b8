/**
 * The part of a gateway that the companion uses; `RunningGateway` implements it.
 *
 * @module
 */
import type { Caller } from "@vitrine/gateway";
import type { JsonText, Tool } from "@vitrine/protocol";
import type {
  ConversationChange,
  ConversationItem,
  ServerCatalogue,
  ServerSummary,
  SpeakingApp,
} from "@vitrine/wire";

/** An app of a conversation that is open in a page. */
export interface OpenApp {
  readonly view: string;
  readonly app: SpeakingApp;
  readonly tools: readonly Tool[];
  /** Whether its page is connected. */
  readonly isThere: boolean;
}

/** The part of a conversation that the companion uses. */
export interface CompanionConversation {
  readonly id: string;
  /** Number of connected subscribers: this companion, and pages. */
  readonly listenerCount: number;
  /** The open apps. For an app that is open twice, only the latest. */
  readonly openApps: readonly OpenApp[];
  find(item: string): ConversationItem | undefined;
  /** Calls a tool; resolves to the entry's id. */
  call(
    server: string,
    tool: string,
    input: Record<string, unknown>,
    page?: Record<string, unknown>,
    key?: string,
    agent?: string,
    identity?: string,
  ): Promise<string>;
  /**
   * Calls a tool of an open app; resolves to the entry's id. The user must approve it first, unless it is
   * read-only.
   */
  callApp(view: string, tool: string, input: Record<string, unknown>, agent?: string): Promise<string>;
  stop(item?: string): boolean;
  /** Agents answer the messages instead of a model. */
  answerElsewhere(agents?: readonly string[]): void;
  /** Marks all messages so far as read by an agent. */
  readElsewhere(): void;
  subscribe(listener: (id: string, seq: number, changes: ConversationChange[]) => void): () => void;
  /** Adds a listener for apps that open, close or change their tools. */
  onApps(listener: () => void): () => void;
}

/** Options of a sign-in link. */
export interface CompanionLink {
  readonly arrival?: boolean | undefined;
  readonly onused?: (() => void) | undefined;
  /** The fragment of the address that the link leads to. */
  readonly fragment?: string | undefined;
}

/** The part of a gateway that the companion uses. */
export interface CompanionGateway {
  readonly origin: string;
  readonly conversations: { open(user: string, id?: string): Promise<CompanionConversation> };
  readonly api: {
    servers(caller: Caller): ServerSummary[];
    catalogue(caller: Caller, server: string): Promise<ServerCatalogue>;
    request(
      caller: Caller,
      server: string,
      method: "tools/call" | "resources/read" | "prompts/get",
      params: Record<string, unknown>,
      options: { signal?: AbortSignal | undefined; identity?: string | undefined },
    ): Promise<object | JsonText>;
  };
  loginUrl(user?: string, options?: CompanionLink): string;
}
