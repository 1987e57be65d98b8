/**
 * What servers and apps ask of people and of the model.
 *
 * @module
 */
export { USER_REJECTED } from "./ask-error.js";
export type { Asker } from "./ask-records.js";
export { asksOf, type Desks } from "./desks.js";
export {
  ELICITATION_METHOD,
  type ElicitationAsk,
  ElicitationDesk,
  type ElicitationDeskOptions,
  type Elicited,
  type SentAway,
} from "./elicitation-desk.js";
export {
  ELICITATION_LIMITS,
  type ElicitationLimits,
  SAMPLING_LIMITS,
  type SamplingLimits,
} from "./limits.js";
export { type AskedPage, type PageDesksOptions, pageDesks } from "./page-desks.js";
export {
  SAMPLING_METHOD,
  type Sampled,
  type SamplingAsk,
  SamplingDesk,
  type SamplingDeskOptions,
  type ViewAsks,
} from "./sampling-desk.js";
export { sampleForView } from "./view-sampling.js";
