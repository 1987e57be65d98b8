/**
 * `@vitrine/gateway`: the process between browsers and MCP servers.
 *
 * @module
 */

export type { ModelProviderSettings, ModelSettings } from "@vitrine/conversation";
export type { RemoteSettings, ServerSettings, StdioSettings } from "@vitrine/servers";
export { GATEWAY_ERROR, GatewayError, type GatewayErrorCode, type GatewayErrorData } from "@vitrine/wire";
export { type FollowedSettings, nodeSettings } from "./commands/join.js";
export { secretCommand } from "./commands/secret.js";
export { type CommandLine, readOptions } from "./commands/settings.js";
export { untilStopped } from "./commands/until-stopped.js";
export { type CommandLineOptions, commandLineServer } from "./config/command-line.js";
export type {
  AuditSettings,
  ConversationSettings,
  DrainSettings,
  GatewaySettings,
  ListenSettings,
  LogSettings,
  NodeSettings,
  SandboxSettings,
  UserSettings,
} from "./config/config.js";
export { editSettings, type SettingsChange, type SettingsPath } from "./config/edit-settings.js";
export { parseJson } from "./config/json.js";
export { KNOWN_PROVIDERS } from "./config/model-settings.js";
export {
  projectOf,
  type ReadOptions,
  readDataFolder,
  readSettings,
  readSettingsFile,
} from "./config/read.js";
export { readVariableFiles } from "./config/variable-files.js";
export { type SettingsWatch, type WatchSettingsOptions, watchSettings } from "./config/watch.js";
export type { SkippedSetting, WrittenSettings } from "./config/whole-settings.js";
export { changeSettingsFile } from "./config/write-settings.js";
export { RunningGateway, startGateway } from "./gateway/gateway.js";
export { SERVER_FAILED } from "./gateway/notes.js";
export type { GatewayOptions, NodeOptions } from "./gateway/options.js";
export { RejoiningGateway, type RejoinOptions } from "./gateway/rejoin.js";
export type { HostOptions } from "./http/answer-view.js";
export type { ApiRequestOptions, Caller, GatewayApi } from "./http/api.js";
export type { LinkOptions } from "./http/link-options.js";
export { createLog, type Log, type LogOptions } from "./http/logging.js";
export type { Location, NodeRef, UserRouting } from "./nodes/routing.js";
export { entriesOf } from "./setup/settings-entries.js";
export type { AskedChange, SetupHost, WrittenEntry } from "./setup/setup-host.js";
export { startingIn } from "./setup/start-folder.js";
export type { KnownServers, ServerChange, ServerKey, ServerNews } from "./store/known-servers.js";
export type { HoldScope, LegalHold, LegalHolds } from "./store/legal-holds.js";
export type {
  AuditEntry,
  AuditHead,
  AuditLog,
  AuditMark,
  AuditOutcome,
  AuditQuery,
  ConsentRecord,
  GatewayStore,
  KeptResults,
  OnAlarm,
  PruneOptions,
  ServerConsentKey,
  SessionConsent,
  StoredAuditRow,
  UserConsentStore,
  Verification,
} from "./store/store.js";
export { type ArchiveVerification, verifyArchive } from "./store/verify-archive.js";
