/**
 * Requests of servers and apps to users and the model.
 *
 * @module
 */

export { pageServices } from "./page-services.js";
export { SAMPLING_METHOD, SamplingService } from "./sampling-service.js";
export { asksOf } from "./services.js";
export { sampleForView } from "./view-sampling.js";
