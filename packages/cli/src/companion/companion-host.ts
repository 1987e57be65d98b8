/**
 * What the companion stands on: servers, a conversation in which their apps are shown to a person, and that person.
 *
 * @module
 */

import type { CallToolResult, ContentBlock, Progress, Tool } from "@vitrine/protocol";
import type { AppContext, ServerCatalogue } from "@vitrine/wire";

/** An app that was shown to the person. */
export interface CompanionApp {
  /** The agent knows it by it; no other app ever has it. */
  readonly number: number;
  readonly server: string;
  readonly title: string;
  /** The server's tool whose app it is. */
  readonly tool: string;
  /** It is in a browser now. */
  readonly isOpen: boolean;
  /** What it offers, under their own names; none once it is closed. */
  readonly tools: readonly Tool[];
  /** What it wanted the model to know last. */
  readonly context?: Pick<AppContext, "content" | "structuredContent" | "isStale"> | undefined;
}

/** Who says something: an app, or the person where it is undefined. */
export type Speaker = Pick<CompanionApp, "number" | "server" | "title"> | undefined;

/** What the agent has not done itself. */
export type News =
  /** The person wrote it, or an app in their place (`ui/message`). */
  | { readonly kind: "message"; readonly from: Speaker; readonly content: readonly ContentBlock[] }
  /** What an app wants the model to know changed (`ui/update-model-context`): the last word of each counts. */
  | {
      readonly kind: "context";
      readonly from: NonNullable<Speaker>;
      readonly content?: readonly ContentBlock[] | undefined;
      readonly structuredContent?: Record<string, unknown> | undefined;
    }
  | { readonly kind: "closed"; readonly from: NonNullable<Speaker> };

/** A call of a server's tool. */
export interface CompanionCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** The client shows the app itself: the workbench need not. */
  readonly isShownElsewhere: boolean;
}

/** How a call is followed. */
export interface FollowOptions {
  /** Who calls, as the person knows it, such as `Claude Code`. */
  readonly agent?: string | undefined;
  /** Takes the call back; the server is told. */
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

/** What became of a call. */
export interface CallOutcome {
  readonly result: CallToolResult;
  /** The app that shows it; undefined if the tool has none. */
  readonly app?: CompanionApp | undefined;
}

/** How the person sees the apps. */
export type Showing =
  /** A browser shows them. */
  | { readonly state: "open"; readonly address: string }
  /** A browser was asked to. */
  | { readonly state: "opening"; readonly address: string }
  /** The person must open this link themselves. It signs a browser in, once. */
  | { readonly state: "link"; readonly url: string };

/** A server that does not work now. */
export interface ServerProblem {
  readonly server: string;
  readonly message: string;
}

/** What the companion needs of a gateway. */
export interface CompanionHost {
  /** In the order of the command line. */
  readonly servers: readonly string[];
  readonly problems: readonly ServerProblem[];
  /** Notices about servers, a sentence each: another server may have taken the name of one. */
  readonly notices: readonly string[];
  /** Which server has this name now, whatever it is called. */
  identityOf(server: string): string | undefined;
  /** All apps that were shown, the open ones and the others. */
  readonly apps: readonly CompanionApp[];
  /** What a server offers; waits until it has started. */
  catalogue(server: string): Promise<ServerCatalogue>;
  /**
   * Calls a tool in the conversation, so that its app is shown to the person. A server's own error is a result.
   *
   * @throws what kept it from being called, or from being answered
   */
  call(call: CompanionCall, options: FollowOptions): Promise<CallOutcome>;
  /** Calls a tool of an app that is open. The person is asked first, unless it only reads. */
  callApp(
    app: number,
    tool: string,
    input: Record<string, unknown>,
    options: FollowOptions,
  ): Promise<CallToolResult>;
  /** Asks a server as one of its views would. */
  ask(
    server: string,
    method: "tools/call" | "resources/read" | "prompts/get",
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** Sees to it that the person can see the apps. */
  show(): Promise<Showing>;
  /** Resolves when it is known of every app whether it is open: a page may just be loaded again. */
  settled(): Promise<void>;
  /** These agents are connected, as the person should see them. */
  setAgents(agents: readonly string[]): void;
  /** An agent has received all news so far. */
  received(): void;
  /** Hears what the person and the apps do; returns how to stop. */
  onNews(listener: (news: News) => void): () => void;
  /** Hears that apps or their tools came, changed or went; returns how to stop. */
  onApps(listener: () => void): () => void;
  /** Hears of a server whose lists may be others now; returns how to stop. */
  onServer(listener: (server: string) => void): () => void;
}
