/**
 * The tables for Kysely. Columns have the names of the fields, so that a row is the same in the database, in
 * an export and in the hashed text.
 *
 * @module
 */
import type { ToolVisibility } from "@vitrine/protocol";
import type { ConversationItem } from "@vitrine/wire";
import type { ServerNews } from "./known-servers.js";
import type { StoredDeletion, StoredHeldRow, StoredHold } from "./retention-tables.js";
import type { StoredRow } from "./row.js";
import type { SharedTables } from "./shared/tables.js";
import type { ConsentRecord } from "./store.js";

/** A stored answer. */
export interface StoredConsent {
  /**
   * SHA-256 of user, server, identity, method, subject and actor: unique for any characters, and short enough
   * for an index.
   */
  id: string;
  user: string;
  server: string;
  /** Null in rows from before identities existed. */
  identity: string | null;
  method: string;
  subject: string;
  /** Null for everything but `tools/call`. */
  actor: ToolVisibility | null;
  /** The SHA-256 of the fingerprint, which may be long. */
  fingerprint: string;
  answer: ConsentRecord["answer"];
  grantedAt: number;
  expiresAt: number | null;
}

/** A stored conversation. */
export interface StoredConversation {
  /**
   * SHA-256 of the user and the conversation's own id: unique for any characters, so that no user gets
   * another's.
   */
  id: string;
  user: string;
  startedAt: number;
  changedAt: number;
  /** Number of entries. */
  items: number;
  /** Bytes of the entries' JSON. */
  size: number;
  /** The last `position` of an entry. Positions are never reused. */
  last: number;
  /** The searchable text of the title. */
  text: string;
  /** Its own id, title and usage. JSON can represent every character, which a database cannot. */
  json: string;
}

/**
 * The contexts of the apps of a conversation. A separate table, because they may be large and change less
 * often.
 */
export interface StoredContexts {
  conversation: string;
  json: string;
}

/** A stored entry of a conversation. */
export interface StoredItem {
  /** SHA-256 of the conversation and the entry's own id. */
  id: string;
  conversation: string;
  position: number;
  kind: ConversationItem["kind"];
  /** Bytes of its JSON. */
  size: number;
  /** Its searchable text. */
  text: string;
  /** The complete entry. The last column, so that a search does not read it. */
  json: string;
}

/** A server that has had a name. */
export interface StoredServer {
  /** SHA-256 of name and identity. */
  id: string;
  name: string;
  identity: string;
  /** Grows with each server that takes a name: the server with the highest number has it now. */
  turn: number;
  /** 1 for the server of a name that owns rows without an identity. */
  heir: number;
  /** How it took the name, until a user was notified. */
  untold: ServerNews["kind"] | null;
}

/** The result of a call, kept for a repeated idempotency key. */
export interface StoredResult {
  /** The number of the call's entry in the audit log. */
  seq: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  json: string;
}

/** The gateway's data about its own database. */
export interface StoredState {
  name: string;
  value: string;
}

/** The slot of a node, while it has one and afterwards. */
export interface StoredNode {
  slot: number;
  /** Random for each run of a node. */
  node: string;
  /** Grows each time the slot changes hands. */
  fence: number;
  /** `host:port` for other nodes. */
  address: string;
  version: string;
  fingerprint: string;
  /** `lost`: its lease ended, and its calls wait for their outcomes. `free`: another node may take the slot. */
  state: "live" | "draining" | "lost" | "free";
  /** Milliseconds since 1970, by the database's clock. */
  expiresAt: number;
}

/** The node that has the users of a shard. */
export interface StoredShard {
  shard: number;
  /** Null if it was given back. */
  slot: number | null;
  /** The fence of the slot when the shard was claimed. */
  fence: number;
}

/** All tables. */
export interface Tables extends SharedTables {
  vitrine_nodes: StoredNode;
  vitrine_shards: StoredShard;
  vitrine_audit: StoredRow;
  vitrine_consents: StoredConsent;
  vitrine_conversations: StoredConversation;
  vitrine_conversation_items: StoredItem;
  vitrine_conversation_contexts: StoredContexts;
  vitrine_servers: StoredServer;
  vitrine_results: StoredResult;
  vitrine_state: StoredState;
  vitrine_holds: StoredHold;
  vitrine_held: StoredHeldRow;
  vitrine_deleted: StoredDeletion;
}

/** The type of the database. */
export type EngineKind = "sqlite" | "postgres";
