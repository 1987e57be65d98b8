/**
 * What the companion needs of a gateway: `Gateway` is one.
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
  /** Its page is connected now. */
  readonly isThere: boolean;
}

/** What the companion needs of a conversation. */
export interface CompanionConversation {
  readonly id: string;
  /** How many hear of it and are connected now: this companion, and pages. */
  readonly heardBy: number;
  /** The apps that are open; of one that is open twice only where it was opened last. */
  readonly openApps: readonly OpenApp[];
  find(item: string): ConversationItem | undefined;
  /** Calls a tool; resolves to the entry. */
  call(
    server: string,
    tool: string,
    input: Record<string, unknown>,
    page?: Record<string, unknown>,
    key?: string,
    agent?: string,
  ): Promise<string>;
  /** Calls a tool of an app that is open; resolves to the entry. The person is asked first, unless it only reads. */
  callApp(view: string, tool: string, input: Record<string, unknown>, agent?: string): Promise<string>;
  stop(item?: string): boolean;
  /** Agents answer what is said: no model is asked. */
  answerElsewhere(agents?: readonly string[]): void;
  /** An agent has read what the person and the apps said so far. */
  readElsewhere(): void;
  subscribe(listener: (id: string, seq: number, changes: ConversationChange[]) => void): () => void;
  /** Hears that apps were opened or closed, or offer other tools. */
  onApps(listener: () => void): () => void;
}

/** What a link can be told. */
export interface CompanionLink {
  readonly arrival?: boolean | undefined;
  readonly onused?: (() => void) | undefined;
  /** What stands behind `#` in the address that the link leads to. */
  readonly fragment?: string | undefined;
}

/** What the companion needs of a gateway. */
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
      options: { signal?: AbortSignal | undefined },
    ): Promise<object | JsonText>;
  };
  loginUrl(user?: string, options?: CompanionLink): string;
}
