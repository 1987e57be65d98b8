/**
 * `@vitrine/gateway`: the process between browsers and MCP servers.
 *
 * @module
 */
export { secretCommand } from "./commands/secret.js";
export { type CommandLine, readOptions } from "./commands/settings.js";
export { untilStopped } from "./commands/until-stopped.js";
export { closest } from "./config/closest.js";
export { type CommandLineOptions, commandLineServer } from "./config/command-line.js";
export type * from "./config/config.js";
export { parseJson } from "./config/json.js";
export { KNOWN_PROVIDERS } from "./config/model-settings.js";
export type * from "./config/model-types.js";
export {
  projectOf,
  type ReadOptions,
  readDataFolder,
  readSettings,
  readSettingsFile,
  type SkippedSetting,
  type WrittenSettings,
} from "./config/read.js";
export { identityOf, type ProgramStart, type ServerIdentity } from "./config/server-identity.js";
export type * from "./config/server-types.js";
export { type SettingsWatch, type WatchOptions, watchSettings } from "./config/watch.js";
export * from "./conversation/index.js";
export * from "./errors.js";
export { Gateway, type GatewayOptions, startGateway } from "./gateway.js";
export { SERVER_FAILED } from "./gateway-notes.js";
export type { Caller } from "./http/api.js";
export type { LinkOptions } from "./http/auth.js";
export type { HostOptions } from "./http/host-door.js";
export { createLog, type Log, type LogOptions } from "./http/logging.js";
export type * from "./isolation/isolation.js";
export { launch } from "./isolation/launch.js";
export type * from "./model/model.js";
export { ModelError, type ModelErrorCode } from "./model/model-error.js";
export { Models, type ModelsOptions } from "./model/models.js";
export { ServerPool, type ServerPoolOptions } from "./servers/pool.js";
export type * from "./servers/server.js";
export type * from "./store/conversation-store.js";
export type * from "./store/store.js";
