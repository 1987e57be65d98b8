/**
 * Why a render failed: a code, a sentence, and what to do about it.
 *
 * @module
 */
import type { RenderProblem } from "@vitrine/workbench";
import { type CliError, told } from "../exit.js";
import type { RenderCause } from "./render-result.js";

/** What to do, by the code. Problems of apps bring their own. */
const FIXES: Readonly<Record<string, string>> = {
  usage: "See vitrine render --help.",
  server_unknown: "Name a command in quotes, a URL, a name from a settings file, a folder or a file.",
  config_invalid: "Correct the settings where the message says.",
  server_failed: "Start the server's command by itself, and look at what it prints.",
  server_exited: "Look at what the server wrote to stderr before it ended.",
  server_unauthorized: "Put an Authorization header for it into a settings file.",
  server_too_large: "Make the server's answers smaller, or raise limits.message in a settings file.",
  isolation_unavailable: "Choose another isolation in the settings file, or leave out --strict.",
  timeout: "Make the server answer sooner, or wait longer with --timeout.",
  tool_unknown: "Name one of the tools that the message lists.",
  tool_not_visible: "Name a tool that the model may call: this one is for the server's own apps alone.",
  no_ui: "Set _meta.ui.resourceUri of the tool to the address of a UI resource, or use vitrine call.",
  arguments_invalid: "Give arguments that fit the tool's input schema with --args.",
  nothing_to_render: "Name a tool with --tool, and its arguments with --args.",
  no_chromium:
    "Install Chromium or Chrome (Debian: apt install chromium; macOS: brew install --cask chromium), or run npx playwright-core install --with-deps chromium; or set CHROMIUM to its path.",
  browser_failed: "Start the browser by itself to see what it lacks, or set CHROMIUM to another one.",
  page_missing: "Build the workbench first: npm run build.",
  profile_unknown: "Name one of the profiles that the message lists.",
  mode_unavailable: "Choose a mode that the profile has, or another profile.",
  click_failed: "Name a text or a selector that the app shows and that can be clicked.",
  wait_timeout: "Wait for a text that the app comes to show, or longer with --timeout.",
  blank:
    "Draw something when the result comes: see that no style hides the document, and that the app handles ui/notifications/tool-result.",
  zero_height:
    "Give the content a height of its own, and report it: content that is 100% high or positioned absolutely has none. Leave autoResize of the SDK on.",
  still_loading: "Draw the result when ui/notifications/tool-result comes; or wait for it with --wait.",
  result_missing: "Look at the messages with --trace: the app became ready and was told nothing.",
  replay_differs: "Make the app behave as it did, or record it anew with --trace.",
  replay_unsure: "Record the app anew when it is opened for the first time, and not after a reload.",
  recording_invalid: "Name a file that --trace or the workbench wrote.",
  some_failed: "Look at the cause of each.",
  trace_failed: "Let the server answer resources/read as often as it is asked, or leave out --trace.",
  server_error: "Look at what the server answered, which is in the message.",
  fault: "Report it, with what was printed to stderr: it is a fault of Vitrine's own.",
  file_unwritable: "Name a file in a folder that is there and can be written to.",
  interrupted: "Run it again.",
};

/** The codes that this file has a fix for. */
export const CAUSES: readonly string[] = Object.keys(FIXES);

/** Of what the gateway refuses or cannot do. */
const OTHERWISE = "Look at what the message says, and try again.";

/**
 * One way of writing codes: hyphens of one part and underlines of another are the same here. A server may send anything
 * for one: what is no word is none of ours.
 */
function codeOf(code: string): string {
  const own = code.replaceAll("-", "_");
  return /^[a-z][a-z0-9_]*$/.test(own) ? own : "server_error";
}

/** A problem as the cause of a failure. */
export function causeOf({ code, message, fix }: RenderProblem): RenderCause {
  const own = codeOf(code);
  return { code: own, message, fix: fix ?? (Object.hasOwn(FIXES, own) ? (FIXES[own] ?? "") : OTHERWISE) };
}

/** What was thrown, as a cause, and the code to end with; a fault of ours is thrown again. */
export function causeOfError(error: unknown): { cause: RenderCause; exit: number } {
  const known: CliError | undefined = told(error);
  if (!known) throw error;
  const { code, exit, stderr } = known;
  const words = stderr?.trim() ? `; it wrote to stderr: ${stderr.trim().slice(-2000)}` : "";
  return { cause: causeOf({ code, message: `${known.message}${words}` }), exit };
}
