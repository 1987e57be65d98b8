/**
 * Output of `--json` for a failure.
 *
 * @module
 */
import type { CliError } from "./exit.js";
import { causeOfError } from "./render/cause.js";
import { unrendered } from "./render/render-result.js";

/** Returns `{error}`, except for `render`, whose result has its own field for it (docs/render.md). */
export function failureJson(command: string | undefined, error: CliError): object {
  if (command === "render")
    return unrendered("", { server: { name: "", version: "" } }, causeOfError(error).cause);
  const { code, message, stderr } = error;
  return { error: { code, message, ...(stderr && { stderr }) } };
}
