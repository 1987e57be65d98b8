/** The facts about a run from which `violations()` finds broken promises. */

/** A call of a client, and how it ended for the client. */
export interface ClientCall {
  readonly key: string;
  readonly user: string;
  /** In a conversation, a person calls a tool, or sends a message after which the model calls one. */
  readonly by: "program" | "page" | "person" | "model";
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  endedAt?: number;
  /** Undefined while it is pending. `ok`, or an error code. In a conversation, `ok` means that the entry is stored. */
  end?: string | undefined;
  /** The text of the error. */
  why?: string | undefined;
  /** The error says that the call may have run. */
  mayHaveRun?: boolean;
  /** The acknowledged entry in a conversation. */
  entry?: { readonly conversation: string; readonly item: string };
}

/** An effect of a server. */
export interface Effect {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A row of the audit log about an allowed call. */
export interface RecordedEntry {
  readonly seq: number;
  /** Undefined for what is no call of a client. */
  readonly key?: string | undefined;
  /** When it was committed, in milliseconds since 1970; undefined if the database does not tell. */
  readonly committedAt?: number | undefined;
}

/** A row of the audit log with the outcome of an entry. */
export interface RecordedOutcome {
  readonly of: number;
  readonly outcome: string;
}

/** An entry of a conversation. */
export interface SeenItem {
  readonly id: string;
  readonly kind: string;
  readonly state?: string | undefined;
  readonly isIndeterminate?: boolean | undefined;
  /** The key in a call's arguments. */
  readonly key?: string | undefined;
}

/** A conversation, as its user's page shows it when all is over. */
export interface SeenConversation {
  readonly id: string;
  readonly isRunning: boolean;
  readonly items: readonly SeenItem[];
}

/** Everything that is known when a run is over. */
export interface RunFacts {
  readonly calls: readonly ClientCall[];
  /** In the order in which they happened. */
  readonly effects: readonly Effect[];
  readonly entries: readonly RecordedEntry[];
  readonly outcomes: readonly RecordedOutcome[];
  readonly conversations: readonly SeenConversation[];
  /** The answer of `/api/audit/verify`. */
  readonly verified: { readonly ok?: unknown };
  /** Processes that no running node has started. */
  readonly orphans: readonly number[];
}

/** The effects in the log of a server, in their order. */
export const effectsIn = (log: string): Effect[] =>
  [...log.matchAll(/ effect (\S+) (\d+)/g)].map(([, key = "", at]) => ({ key, at: Number(at) }));
