/**
 * `@vitrine/host/gateway`: a page's connection to a Vitrine gateway.
 *
 * @module
 */
export { type AppPlace, type GatewayAppOptions, gatewayApp, showView } from "./app-options.js";
export type { ConnectionOptions, GatewayState } from "./connection.js";
export {
  connectGateway,
  type GatewayAnswers,
  GatewayClient,
  type GatewayClientOptions,
  type GatewayRequestOptions,
} from "./gateway.js";
export type { LineKind } from "./line.js";
export type { SessionStorage } from "./saved-session.js";
export { GatewayView, type ViewNotice } from "./view.js";
