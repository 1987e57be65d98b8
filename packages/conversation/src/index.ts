/**
 * `@vitrine/conversation`: conversations of users, models and MCP Apps, with turns, tool calls, stored
 * entries and models.
 *
 * @module
 */
export type { SaidContext } from "./apps.js";
export type { CallEventListener } from "./call-reporter.js";
export { Conversation } from "./conversation.js";
export type {
  ConversationQuery,
  ConversationUpdate,
  KeptConversations,
  KeptSummary,
  LoadedConversation,
} from "./conversation-store.js";
export { Conversations, type ConversationsOptions } from "./conversations.js";
export type { ConversationListener } from "./journal.js";
export { type ConversationLimits, DEFAULT_LIMITS } from "./limits.js";
export { type DetectionOptions, detectLocalServers, isModelServer } from "./model/local-servers.js";
export type {
  FilePart,
  ImagePart,
  Model,
  ModelDelta,
  ModelMessage,
  ModelRequest,
  ModelTool,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./model/model.js";
export { ModelError, type ModelErrorCode } from "./model/model-error.js";
export { testModel } from "./model/model-test.js";
export { type ModelChoiceStore, Models, type ModelsOptions } from "./model/models.js";
export type { ModelProviderSettings, ModelSettings } from "./model/settings.js";
export type {
  AnswerDefaults,
  AppCall,
  AppPort,
  ConversationPorts,
  ConversationStore,
  ModelPort,
  OfferedTool,
  RecalledCall,
  ServerCall,
  ToolCallOptions,
  ToolPort,
} from "./ports.js";
