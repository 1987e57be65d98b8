/**
 * `@vitrine/wire`: the session between a page and the Vitrine gateway, with its handshake, channels and
 * messages. Runs anywhere.
 *
 * @module
 */
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
  ModelState,
  ModelSummary,
  ModelUsage,
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
  CompletionSource,
  InspectedServer,
  InspectionNotices,
  InspectionRequests,
  ServerRoot,
  ServerRoots,
  ServerTask,
  TrafficMessage,
} from "./inspection.js";
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
export { type AlternativeVersions, alternatives, forkBefore, shownItems } from "./versions.js";
