/**
 * Converts an error to a problem.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { messageOf } from "../model/messages/messages.js";
import { RecordingError } from "../model/recording/recording.js";
import type { RenderProblem } from "../node/render-page.js";

/** Uses the gateway's own code, if there is one. */
export function problemOf(error: unknown): RenderProblem {
  const message = messageOf(error);
  if (error instanceof RecordingError)
    return {
      code: "recording-invalid",
      message: `The recording cannot be read: ${message}.`,
      fix: "Name a file that --trace or the workbench wrote.",
    };
  const { data, code } = recordOf(error);
  const { code: word } = recordOf(data);
  if (typeof word === "string") return { code: word, message };
  if (code === "aborted")
    return {
      code: "open-timeout",
      message: "The app was not opened in time.",
      fix: "Make the server answer resources/read sooner, or wait longer with --timeout.",
    };
  return { code: "open-failed", message };
}
