/**
 * Interface of the companion's host: servers, a conversation that shows their apps, and its user.
 *
 * @module
 */

import type { CallToolResult, ContentBlock, Progress, Tool } from "@vitrine/protocol";
import type { AppContext, ServerCatalogue } from "@vitrine/wire";

/** An app that was shown to the user. */
export interface CompanionApp {
  /** The agent's id of it, never reused. */
  readonly number: number;
  readonly server: string;
  readonly title: string;
  /** The server's tool that the app belongs to. */
  readonly tool: string;
  /** Whether it is open in a browser. */
  readonly isOpen: boolean;
  /** Tools that it offers, under their own names; none once it is closed. */
  readonly tools: readonly Tool[];
  /** Its latest model context. */
  readonly context?: Pick<AppContext, "content" | "structuredContent" | "isStale"> | undefined;
}

/** The author of a message: an app, or the user if undefined. */
export type MessageAuthor = Pick<CompanionApp, "number" | "server" | "title"> | undefined;

/** An event that the agent did not cause. */
export type News =
  /** A message from the user, or from an app on the user's behalf (`ui/message`). */
  | { readonly kind: "message"; readonly from: MessageAuthor; readonly content: readonly ContentBlock[] }
  /** An app's model context changed (`ui/update-model-context`). The latest update of each app counts. */
  | {
      readonly kind: "context";
      readonly from: NonNullable<MessageAuthor>;
      readonly content?: readonly ContentBlock[] | undefined;
      readonly structuredContent?: Record<string, unknown> | undefined;
    }
  | { readonly kind: "closed"; readonly from: NonNullable<MessageAuthor> };

/** A server as the agent knows it: another server that takes the name gets no requests for it (attack E01). */
export interface ListedServer {
  readonly server: string;
  /** The server's identity when its lists were read; undefined if they were not. */
  readonly identity: string | undefined;
}

/** A call of a server's tool. */
export interface CompanionCall extends ListedServer {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** Whether the client shows the app itself, so that the workbench need not. */
  readonly isShownElsewhere: boolean;
}

/** Options of a call. */
export interface FollowOptions {
  /** Display name of the caller, such as `Claude Code`. */
  readonly agent?: string | undefined;
  /** Cancels the call, also at the server. */
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

/** Outcome of a call. */
export interface CallOutcome {
  readonly result: CallToolResult;
  /** The app that shows it; undefined if the tool has none. */
  readonly app?: CompanionApp | undefined;
}

/** Whether the user can see the apps. */
export type Showing =
  /** A browser shows them. */
  | { readonly state: "open"; readonly address: string }
  /** A browser is being opened. */
  | { readonly state: "opening"; readonly address: string }
  /** The user must open this link. It signs a browser in once. */
  | { readonly state: "link"; readonly url: string };

/** A server that does not work. */
export interface ServerProblem {
  readonly server: string;
  readonly message: string;
}

/** The part of a gateway that the companion uses. */
export interface CompanionHost {
  /** In the order of the command line. */
  readonly servers: readonly string[];
  readonly problems: readonly ServerProblem[];
  /** Notices about servers: another server may have taken a name. */
  readonly notices: readonly string[];
  /** The identity of the server with this name. */
  identityOf(server: string): string | undefined;
  /** All apps that were shown, open or closed. */
  readonly apps: readonly CompanionApp[];
  /** A server's catalogue; waits until the server has started. */
  catalogue(server: string): Promise<ServerCatalogue>;
  /**
   * Calls a tool in the conversation, which shows its app to the user. A server's own error is a result.
   *
   * @throws if the tool could not be called, or did not answer
   */
  call(call: CompanionCall, options: FollowOptions): Promise<CallOutcome>;
  /** Calls a tool of an open app. The user must approve it first, unless it is read-only. */
  callApp(
    app: number,
    tool: string,
    input: Record<string, unknown>,
    options: FollowOptions,
  ): Promise<CallToolResult>;
  /** Sends a request to a server as one of its views would. */
  ask(
    to: ListedServer,
    method: "tools/call" | "resources/read" | "prompts/get",
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** Makes the apps visible to the user. */
  show(): Promise<Showing>;
  /** Resolves when the open state of every app is known: a page may be reloading. */
  settled(): Promise<void>;
  /** Sets the connected agents, for display. */
  setAgents(agents: readonly string[]): void;
  /** Marks all news so far as received by an agent. */
  received(): void;
  /** Adds a listener for actions of the user and the apps; returns a function that removes it. */
  onNews(listener: (news: News) => void): () => void;
  /** Adds a listener for changes of apps and their tools; returns a function that removes it. */
  onApps(listener: () => void): () => void;
  /** Adds a listener for servers whose lists may have changed; returns a function that removes it. */
  onServer(listener: (server: string) => void): () => void;
}
