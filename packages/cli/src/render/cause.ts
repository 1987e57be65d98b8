/**
 * Why a render failed: a code, a message, and a solution.
 *
 * @module
 */
import type { RenderProblem } from "@vitrine/workbench";
import { type CliError, told } from "../exit.js";
import type { RenderCause } from "./render-result.js";

/** Solutions by code. Problems of apps have their own. */
const FIXES: Readonly<Record<string, string>> = {
  usage: "See vitrine render --help.",
  "server-unknown": "Name a command in quotes, a URL, a name from a settings file, a folder or a file.",
  "config-invalid": "Correct the settings where the message says.",
  "server-failed": "Run the server's command by itself, and look at its output.",
  "server-exited": "Look at the server's stderr before it exited.",
  "server-unauthorized": "Put an Authorization header for it into a settings file.",
  "server-too-large": "Make the server's answers smaller, or raise limits.message in a settings file.",
  "isolation-unavailable": "Choose another isolation in the settings file, or leave out --strict.",
  timeout: "Make the server answer sooner, or wait longer with --timeout.",
  "tool-unknown": "Name one of the tools that the message lists.",
  "tool-not-visible": "Choose a tool that the model may call: this one is only for the server's own apps.",
  "no-ui": "Set _meta.ui.resourceUri of the tool to the address of a UI resource, or use vitrine call.",
  "arguments-invalid": "Give arguments that fit the tool's input schema with --args.",
  "nothing-to-render": "Name a tool with --tool, and its arguments with --args.",
  "no-chromium":
    "Install Chromium or Chrome (Debian: apt install chromium; macOS: brew install --cask chromium), or run npx playwright-core install --with-deps chromium; or set CHROMIUM to its path.",
  "browser-failed": "Start the browser by itself to see the error, or set CHROMIUM to another one.",
  "page-missing": "Build the workbench first: npm run build.",
  "profile-unknown": "Name one of the profiles that the message lists.",
  "mode-unavailable": "Choose a mode that the profile has, or another profile.",
  "click-failed": "Name a text or a selector that the app shows and that can be clicked.",
  "wait-timeout": "Wait for a text that the app will show, or longer with --timeout.",
  blank:
    "Draw something when the result arrives: check that no style hides the document, and that the app handles ui/notifications/tool-result.",
  "zero-height":
    "Give the content its own height, and report it: content with a height of 100% or absolute position has none. Leave the SDK's autoResize on.",
  "still-loading": "Draw the result when ui/notifications/tool-result arrives, or wait for it with --wait.",
  "result-missing": "Look at the messages with --trace: the app became ready, but received nothing.",
  "replay-differs": "Restore the app's behaviour, or record it again with --trace.",
  "replay-unsure": "Record the app again when it is first opened, not after a reload.",
  "recording-invalid": "Name a file that --trace or the workbench wrote.",
  "some-failed": "Look at the cause of each.",
  "trace-failed": "Let the server answer resources/read as often as it is asked, or leave out --trace.",
  "server-error": "Look at what the server answered, which is in the message.",
  fault: "Report it with the stderr output: it is a bug in Vitrine.",
  "file-unwritable": "Choose a file in an existing, writable folder.",
  interrupted: "Run it again.",
};

/** Codes with a solution in this file. */
export const CAUSES: readonly string[] = Object.keys(FIXES);

/** Default solution for errors of the gateway. */
const OTHERWISE = "Read the message, and try again.";

/**
 * Normalizes codes: hyphens and underscores count as the same. A server may send anything, so only plain
 * words are accepted as a code.
 */
function codeOf(code: string): string {
  const own = code.replaceAll("_", "-");
  return /^[a-z][a-z0-9-]*$/.test(own) ? own : "server-error";
}

/** Converts a problem to a cause. */
export function causeOf({ code, message, fix }: RenderProblem): RenderCause {
  const own = codeOf(code);
  return { code: own, message, fix: fix ?? (Object.hasOwn(FIXES, own) ? (FIXES[own] ?? "") : OTHERWISE) };
}

/** Converts an error to a cause and exit code; internal errors are rethrown. */
export function causeOfError(error: unknown): { cause: RenderCause; exit: number } {
  const known: CliError | undefined = told(error);
  if (!known) throw error;
  const { code, exit, stderr } = known;
  const words = stderr?.trim() ? `; it wrote to stderr: ${stderr.trim().slice(-2000)}` : "";
  return { cause: causeOf({ code, message: `${known.message}${words}` }), exit };
}
