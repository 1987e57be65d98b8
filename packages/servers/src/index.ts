/**
 * `@vitrine/servers`: supervised connections to MCP servers.
 *
 * @module
 */
export { isLoopbackHost, isPrivateHost } from "./address.js";
export { type AddressKind, kindOfAddress } from "./addresses.js";
export { membersOf } from "./answer-text.js";
export { documentHash } from "./catalogue.js";
export { isUnsent } from "./cut-off.js";
export type { ServerFault } from "./exit-cause.js";
export type { WireExchange } from "./http-tap.js";
export type {
  DriverName,
  DriverReport,
  Exit,
  Isolation,
  Launch,
  Launched,
  LaunchSpec,
} from "./isolation/isolation.js";
export { launch } from "./isolation/launch.js";
export { type MaskedExchange, maskedExchange } from "./masked-exchange.js";
export { TASKS_EXTENSION } from "./modern-tasks.js";
export type { OAuthSession } from "./oauth/session.js";
export { OAuthSessions } from "./oauth/sessions.js";
export type { RefreshLease, RefreshLeases, SharedTokens } from "./oauth/shared-refresh.js";
export { ServerPool, type ServerPoolOptions } from "./pool.js";
export type { ProgramLimits } from "./program-budget.js";
export { replacedServer } from "./replaced-server.js";
export { safeFetch } from "./safe-fetch.js";
export {
  openSecret,
  rewrapSecret,
  type SealedSecret,
  sealSecret,
  UnreadableSecret,
} from "./secrets/envelope.js";
export {
  createMasterKey,
  type MasterKey,
  type MasterKeyOptions,
  readMasterKeys,
} from "./secrets/master-keys.js";
export { openSecrets, type SecretStore, type SharedSecretStore, secretKey } from "./secrets/secrets.js";
export type { Catalogue, CatalogueChange, Server, ServerState, ServerStatus } from "./server.js";
export type { AskCapabilities, Root, ServerAsks } from "./server-asks.js";
export { identityOf, type ProgramStart, type ServerIdentity } from "./server-identity.js";
export type { AskServer, ServerMethod, ServerNotice } from "./server-requests.js";
export type { EnterpriseSettings, RemoteSettings, ServerSettings, StdioSettings } from "./settings.js";
export { showableResult } from "./showable-result.js";
export type { WireMessage } from "./wire-tap.js";
