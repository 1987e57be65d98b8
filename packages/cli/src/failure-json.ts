/**
 * What `--json` prints in place of a result.
 *
 * @module
 */
import type { CliError } from "./exit.js";
import { causeOfError } from "./render/cause.js";
import { unrendered } from "./render/render-result.js";

/** The object: `{error}`, but for `render`, whose result has a place for what went wrong (docs/render.md). */
export function failureJson(command: string | undefined, error: CliError): object {
  if (command === "render")
    return unrendered("", { server: { name: "", version: "" } }, causeOfError(error).cause);
  const { code, message, stderr } = error;
  return { error: { code, message, ...(stderr && { stderr }) } };
}
