/**
 * Diagnoses a missing app: its server describes it wrongly, or its frame failed.
 *
 * @module
 */
import type { UiDocumentErrorCode } from "@vitrine/protocol";
import { type Diagnosed, type Diagnosis, error } from "./diagnosis.js";
import { blockedOf, blockedRequest, errorsOf, type Facts, isOfScripts } from "./diagnosis-facts.js";

/** Solutions for UI resources that cannot be shown. */
const RESOURCE_FIXES: Readonly<Record<UiDocumentErrorCode, string>> = {
  "uri-invalid":
    "Give the UI an address that begins with ui://, in the tool's _meta.ui.resourceUri and in the resource.",
  "content-missing":
    "Register a resource under exactly the address that the tool's _meta.ui.resourceUri names.",
  "mime-type-wrong": 'Set the MIME type of the resource\'s content to exactly "text/html;profile=mcp-app".',
  "document-empty": "Return the HTML in the content's text (or, as base64, in blob): it is empty.",
  "base64-invalid": "Encode the blob as base64, or return the HTML as text.",
  "utf8-invalid": "Save the document as UTF-8, or return the HTML as text.",
  "document-too-large":
    "Make the document smaller: load large libraries and pictures from declared resourceDomains.",
};

/** The server's resource is at fault; known before there is a frame. */
export function unshown({ source: { problem, uri, tool } }: Diagnosed): Diagnosis | undefined {
  if (!problem) return undefined;
  const { code, message } = problem;
  const evidence = [`The gateway says: ${message}`, ...(uri ? [`The UI's address is ${uri}`] : [])];
  if (code === "no-ui")
    return error(
      "no-ui",
      "This tool has no app.",
      evidence,
      `Set _meta.ui.resourceUri of the tool${tool ? ` "${tool.name}"` : ""} to the address of a UI resource.`,
    );
  if (code === "view-unreadable")
    return error(
      "view-unreadable",
      "This app cannot be shown: its server cannot read it.",
      evidence,
      "Correct the file that the server names, and call the tool again.",
    );
  if (code === "load-failed")
    return error(
      "load-failed",
      "This app's document no longer exists.",
      evidence,
      "Check that its server runs, and reload the page; or call the tool again.",
    );
  if (isResourceCode(code))
    return error(
      code,
      "This app cannot be shown: its description is invalid.",
      evidence,
      RESOURCE_FIXES[code],
    );
  return error(
    "bad-resource",
    "This app cannot be shown: its declared values cannot be used in a policy.",
    evidence,
    "Correct the values in _meta.ui.csp that are named above: each is an origin such as https://example.com.",
  );
}

const isResourceCode = (code: string): code is UiDocumentErrorCode => Object.hasOwn(RESOURCE_FIXES, code);

/** The frame failed. */
export function failed({ state, failure }: Diagnosed, facts: Facts): Diagnosis | undefined {
  if (state !== "failed" || !failure) return undefined;
  const { code, message, detail } = failure;
  const evidence = [...(detail ? [detail] : []), ...errorsOf(facts), ...blockedOf(facts)];
  const found = (fix: string, ...more: string[]): Diagnosis =>
    error(code, message, [...new Set([...more, ...evidence])], fix);
  switch (code) {
    case "handshake-timeout": {
      const [fix, ...began] = handshakeFix(facts);
      const isThrown = fix === THROWN;
      return isThrown ? error("script-error", message, [...began, ...evidence], fix) : found(fix, ...began);
    }
    case "csp-blocked": {
      const [first] = facts.blocked.filter(isOfScripts);
      return found(
        first?.text ??
          "Use code that needs no eval, and declare where scripts come from in _meta.ui.csp.resourceDomains.",
      );
    }
    case "load-failed":
      return found(
        "Check that the gateway's sandbox address can be reached from this browser (*.localhost must lead to this machine), and try again.",
      );
    case "bad-resource":
      return found("Correct the UI resource of the server; the evidence says what is wrong with it.");
    case "navigated-away":
      return found(
        "Do not set location or follow links inside of the app: ask the host with ui/open-link, and call preventDefault() on forms.",
      );
    case "crashed":
      return found("Look for endless allocation or very large canvases in the app, and try again.");
    case "took-focus":
      return found(
        "Call focus() only after the user pressed something in the app. The page takes the focus back, and ends an app that takes it three times within a minute, or ten times in all.",
      );
    case "flooded":
      return found(
        "Send messages only to window.parent. Messages to window.top have no meaning, and many of them end the app.",
      );
    case "stopped":
      return found(
        "Look for an endless loop in the app's scripts, or for frames that it creates endlessly; then start it again.",
      );
  }
}

const THROWN = "Correct the error that the script threw: it ended before the app connected.";

function handshakeFix(facts: Facts): [fix: string, ...evidence: string[]] {
  if (facts.initialize)
    return [
      "Send ui/notifications/initialized when the answer to ui/initialize has come; app.connect() of the SDKs does both.",
      "The app sent ui/initialize, and never ui/notifications/initialized.",
    ];
  const began = facts.isLoaded
    ? "The document loaded, and the app never sent ui/initialize."
    : "The document never finished loading.";
  if (facts.blocked.some(isOfScripts)) return [facts.blocked.find(isOfScripts)?.text ?? "", began];
  const request = blockedRequest(facts);
  if (request) return [request.text, began];
  if (facts.errors.length > 0) return [THROWN, began];
  return [
    "Call app.connect() when the document runs, or send ui/initialize to window.parent by hand.",
    began,
  ];
}
