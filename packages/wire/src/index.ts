/**
 * `@vitrine/wire`: the session between a page and the Vitrine gateway, with its handshake, channels and
 * messages. Runs anywhere.
 *
 * @module
 */
export { ASK_LEVEL_METHOD } from "./ask-level.js";
export type {
  AppContext,
  CallItem,
  ConversationAsks,
  ConversationChange,
  ConversationItem,
  ConversationMatch,
  ConversationNotices,
  ConversationRequests,
  ConversationState,
  ConversationSummary,
  ElicitationAnswer,
  ElicitationQuestion,
  ModelItem,
  ModelView,
  ModelViewMessage,
  ModelViewPart,
  ModelViewTool,
  NoteItem,
  SamplingAnswer,
  SamplingQuestion,
  SpeakingApp,
  UserItem,
  VersionItem,
} from "./conversation.js";
export { CONVERSATION_LIMITS, ConversationError, checkLimit } from "./conversation-limits.js";
export type {
  ConversationCall,
  GatewayAnswer,
  GatewayAsks,
  GatewayNotices,
  GatewayOutcome,
  GatewayPermit,
  GatewayQuestion,
  GatewayRequests,
  GatewayServerCapabilities,
  OpenedView,
  ServerCatalogue,
  ServerSummary,
  ViewPlace,
} from "./gateway.js";
export {
  answerText,
  GATEWAY_ERROR,
  GatewayError,
  type GatewayErrorCode,
  type GatewayErrorData,
  MAY_HAVE_RUN,
} from "./gateway-error.js";
export type {
  ClientCapability,
  CompletionSource,
  DeclaredCapabilities,
  InspectionNotices,
  InspectionRequests,
  ServerLogLine,
  ServerReference,
  ServerRoot,
  ServerRoots,
  ServerTask,
  TrafficMessage,
  WatchedExchange,
} from "./inspection.js";
export {
  type AnswerSettings,
  type LocalModelServer,
  MODEL_INPUT_LIMITS,
  type ModelCost,
  type ModelFacts,
  type ModelPrice,
  type ModelProviderSummary,
  type ModelProviders,
  type ModelProviderType,
  type ModelRequests,
  type ModelState,
  type ModelSummary,
  type ModelTest,
  type ModelUsage,
  type NewModelProvider,
} from "./models.js";
export { VITRINE_VERSION } from "./release.js";
export {
  endOfPart,
  FRAME_COST,
  type Frame,
  isChannel,
  MAIN_CHANNEL,
  MAX_FRAME_BYTES,
  type MessageFrame,
  PART,
  parseFrame,
  writeFrame,
} from "./session/frame.js";
export {
  type Bye,
  type ByeCode,
  type Hello,
  readHandshake,
  type Welcome,
  writeHandshake,
} from "./session/handshake.js";
export { SESSION_LIMITS, type SessionLimits } from "./session/limits.js";
export { Session, type SessionOptions } from "./session/session.js";
export type { SessionTransport, TransportFault } from "./session/session-transport.js";
export type {
  DraftIsolation,
  DraftValue,
  FoundServer,
  FoundServers,
  ImportFile,
  PendingServer,
  ServerDraft,
  SetupNotices,
  SetupOutcome,
  SetupRequests,
  SetupState,
  StderrLine,
  WrittenServer,
  WrittenValue,
} from "./setup.js";
export type {
  SignInAttempt,
  SignInBody,
  SignInEvent,
  SignInExchange,
  SignInHeaders,
  SignInNote,
  SignInNotices,
  SignInRequests,
  SignInState,
  SignInStep,
  TokenClaims,
} from "./sign-in.js";
export { type AlternativeVersions, alternatives, forkBefore, shownItems } from "./versions.js";
