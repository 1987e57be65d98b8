/**
 * What servers and apps ask of people and of the model.
 *
 * @module
 */
export { asksOf } from "./desks.js";
export { pageDesks } from "./page-desks.js";
export { SAMPLING_METHOD, SamplingDesk } from "./sampling-desk.js";
export { sampleForView } from "./view-sampling.js";
