/**
 * `@vitrine/workbench`: the location of the built pages, for servers of them.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

export { PROFILE_MODES } from "./profile-modes.js";
export { wrongPath } from "./redaction-path.js";
export type {
  Allowance,
  CallRequest,
  RenderAct,
  RenderConsent,
  RenderDocument,
  RenderLine,
  RenderPage,
  RenderProblem,
  RenderRequest,
  RenderShown,
  RenderSnapshot,
  RenderTimes,
  RenderTrace,
  RenderViolation,
  ReplayOutcome,
  ReplayRequest,
} from "./render-page.js";
export { type RunHeader, type RunRecording, writeRun } from "./run-file.js";

/** The folder with the workbench's pages: `index.html` for users, `render.html` for `vitrine render`. */
export const workbenchFolder: string = fileURLToPath(new URL("../page", import.meta.url));
