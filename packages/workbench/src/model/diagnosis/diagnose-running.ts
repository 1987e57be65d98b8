/**
 * Diagnoses an app that starts or runs.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { LoggedMessage } from "../app/app-log.js";
import { plainOf } from "../messages/message-json.js";
import { type Diagnosed, type Diagnosis, type DiagnosisCode, error } from "./diagnosis.js";
import { blockedOf, blockedRequest, errorsOf, type Facts, isOfScripts } from "./diagnosis-facts.js";

/** Milliseconds for an app's size and result before they count as missing. */
export const GRACE = 3000;

/** It has not connected, and will not. */
export function starting(app: Diagnosed, facts: Facts): Diagnosis | undefined {
  if (app.state === "closed")
    return {
      level: "info",
      cause: { code: "view-closed", message: "This app was closed." },
      evidence: [],
      fix: "Call the tool again to open another.",
    };
  if (app.state !== "loading" || facts.initialize) return undefined;
  const blocked = facts.blocked.find(isOfScripts);
  if (blocked && blocked.blocked !== "eval")
    return error(
      "script-blocked",
      "The app's policy blocked a script, and the app has not started.",
      blockedOf(facts),
      blocked.text,
    );
  const request = blockedRequest(facts);
  if (request)
    return error(
      "request-blocked",
      `The app's policy blocked a request to ${hostOf(request.blocked)}, and the app has not started.`,
      [...blockedOf(facts), ...errorsOf(facts)],
      request.text,
    );
  if (facts.errors.length > 0)
    return error(
      "script-error",
      "A script of the app failed before it started.",
      errorsOf(facts),
      "Correct the error; the app must reach ui/initialize.",
    );
  return undefined;
}

/** It is a static document that never connects, which is fine. */
export function still({ state, source }: Diagnosed): Diagnosis | undefined {
  if (state !== "ready" || !source.place?.static) return undefined;
  return {
    level: "info",
    cause: {
      code: "static-document",
      message: "This is a static document: it has no script, so it takes no part in the conversation.",
    },
    evidence: [],
    fix: "To show the tool's input and result, add a script that connects to the host.",
  };
}

/** It runs, but something may be wrong. The most serious problem comes first. */
export function running(app: Diagnosed, facts: Facts): Diagnosis | undefined {
  const warning = (code: DiagnosisCode, message: string, evidence: string[], fix: string): Diagnosis => ({
    level: "warning",
    cause: { code, message },
    evidence: evidence.filter(Boolean),
    fix,
  });
  if (app.state === "unresponsive")
    return warning(
      "unresponsive",
      "This app does not respond.",
      errorsOf(facts),
      "Wait, or stop it. Move long work into small portions, so that the app can answer.",
    );
  if (facts.cancelled)
    return warning(
      "call-ended",
      "The call that this app shows ended without a result.",
      [`Reason: ${text(facts.cancelled, "reason") || "none was given"}`],
      "Check the server's state and its output; then call the tool again.",
    );
  if (facts.result && paramsOf(facts.result)["isError"] === true)
    return warning(
      "result-error",
      "The server answered that the tool failed.",
      [`The result says: ${firstText(paramsOf(facts.result)["content"])}`],
      "Check the arguments of the call, and the server's output.",
    );
  const isPast = !!facts.initialized && app.log.now >= facts.initialized.at + GRACE;
  const isFree = app.look.height === undefined && (app.look.displayMode ?? "inline") === "inline";
  const blank = [...errorsOf(facts), ...blockedOf(facts)];
  if (isFree && isPast && app.size?.height === 0)
    return warning(
      "zero-height",
      "This app reports that its content has no height.",
      blank,
      "Give the content its own height: in a frame that adapts to its content, elements with a height of 100% or absolute position have none.",
    );
  if (facts.blocked.some((each) => isOfScripts(each) && each.blocked !== "eval"))
    return warning(
      "script-blocked",
      "The app's policy blocked one of its scripts.",
      blockedOf(facts),
      facts.blocked.find(isOfScripts)?.text ?? "",
    );
  const request = blockedRequest(facts);
  if (request)
    return warning(
      "request-blocked",
      `The app's policy blocked a request to ${hostOf(request.blocked)}.`,
      [...blockedOf(facts), ...errorsOf(facts)],
      request.text,
    );
  if (facts.errors.length > 0)
    return warning(
      "script-error",
      "A script of the app failed.",
      errorsOf(facts),
      "Correct the error; the console tab has all of them.",
    );
  const closed = facts.blocked.find(({ remedy }) => remedy.kind === "profile");
  if (closed)
    return warning(
      "profile-blocked",
      `The profile "${app.profile.title}" blocks something that this app declares and uses.`,
      blockedOf(facts),
      closed.text,
    );
  if (!isPast) return undefined;
  if (app.source.tool && !facts.result)
    return {
      level: "info",
      cause: { code: "result-missing", message: "This app has not received a result yet." },
      evidence: ["The app is ready; no ui/notifications/tool-result was sent to it."],
      fix: "The tool is still running, or nobody called it: wait, or cancel the call.",
    };
  // Nothing is drawn off-screen.
  if (!facts.isPainted && app.isSeen && app.isPaintMeasured)
    return warning(
      "blank",
      "This app is ready, but has drawn nothing.",
      ["The browser has painted nothing of the app's document.", ...blockedOf(facts)],
      "Draw something when ui/notifications/tool-result comes; check that no style hides the document.",
    );
  if (isFree && !app.size)
    return {
      level: "info",
      cause: {
        code: "no-size",
        message: "This app never reported its height, so its frame keeps the initial height.",
      },
      evidence: ["No ui/notifications/size-changed came."],
      fix: "Send ui/notifications/size-changed, or leave autoResize of the SDK on.",
    };
  return undefined;
}

/** The host of an address: enough for a declaration, without the data that the app sends. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);

const paramsOf = ({ message }: LoggedMessage): Record<string, unknown> =>
  recordOf(plainOf(recordOf(message).params));

const text = (message: LoggedMessage, key: string): string => {
  const value = paramsOf(message)[key];
  return typeof value === "string" ? value.slice(0, 500) : "";
};

function firstText(content: unknown): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const found = blocks.map((block) => recordOf(block).text).find((each) => typeof each === "string");
  return typeof found === "string" ? found.slice(0, 500) : "nothing more";
}
