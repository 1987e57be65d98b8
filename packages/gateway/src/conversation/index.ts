/**
 * Conversations: the gateway keeps them and runs their turns.
 *
 * @module
 */
export type { SaidContext } from "./apps.js";
export { Conversation } from "./conversation.js";
export { Conversations, type ConversationsOptions } from "./conversations.js";
export type { ConversationListener } from "./journal.js";
export { type ConversationLimits, DEFAULT_LIMITS } from "./limits.js";
export type * from "./ports.js";
export type { CallHearer } from "./shown-call.js";
