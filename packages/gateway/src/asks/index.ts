/**
 * Requests of servers and apps to users and the model.
 *
 * @module
 */

export { pageServices } from "./page-services.js";
export type { SamplingService } from "./sampling-service.js";
export { type AskServices, asksOf } from "./services.js";
export { CLIENT_CAPABILITIES, namesOf, UserCapabilities, withoutHidden } from "./user-capabilities.js";
export { problemOf, UserRoots } from "./user-roots.js";
