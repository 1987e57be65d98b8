/**
 * Requests of servers and apps to users and the model.
 *
 * @module
 */

export { pageServices } from "./page-services.js";
export type { SamplingService } from "./sampling-service.js";
export { asksOf } from "./services.js";
export { problemOf, UserRoots } from "./user-roots.js";
