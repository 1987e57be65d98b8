/**
 * Requests of servers and apps to users and the model.
 *
 * @module
 */
export { asksOf } from "./desks.js";
export { pageDesks } from "./page-desks.js";
export { SAMPLING_METHOD, SamplingDesk } from "./sampling-desk.js";
export { sampleForView } from "./view-sampling.js";
