/**
 * Requests of servers and apps to users and the model.
 *
 * @module
 */

export { pageServices } from "./page-services.js";
export type { SamplingService } from "./sampling-service.js";
export { problemOf, ServerRoots } from "./server-roots.js";
export { asksOf } from "./services.js";
