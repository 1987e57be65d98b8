/**
 * Why an app's page did not load: the browser does not say, so the sandbox is asked.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { make } from "./chrome.js";
import type { FrameView } from "./proxy-frame.js";

/** Why the sandbox, or the app's document in it, did not load. */
export type LoadFailureCause =
  /** The policy of this page does not allow frames of the sandbox. */
  | "frame-src"
  /** The sandbox does not allow this page. */
  | "not-a-host"
  /** The sandbox allows this page, but not a page around it. */
  | "not-an-embedder"
  /** The sandbox has dropped the view, or never had it. */
  | "view-unknown"
  /** The sandbox allows all of this, but the browser did not show its page. */
  | "refused"
  /** Nothing answers at the sandbox's address. */
  | "unreachable";

/** A cause, and a sentence about it. */
export interface LoadFailure {
  cause: LoadFailureCause;
  detail: string;
}

/** The causes that the sandbox knows. */
const ANSWERS = ["view-unknown", "not-a-host", "not-an-embedder"] as const;

/** Milliseconds for the sandbox's answer. */
const ANSWER = 1400;

/** Finds out why a view did not load. */
export async function whyNotLoaded({ src, origin }: FrameView, place: Element): Promise<LoadFailure> {
  const frame = make("iframe", { sandbox: "allow-scripts", src: `${src}?why`, hidden: true });
  const ends = new AbortController();
  const { signal } = ends;
  try {
    return await new Promise((resolve) => {
      const onviolation = ({ blockedURI, effectiveDirective, disposition }: SecurityPolicyViolationEvent) => {
        if (disposition === "enforce" && effectiveDirective === "frame-src" && blockedURI.startsWith(origin))
          resolve({
            cause: "frame-src",
            detail: `The policy of this page blocks ${origin}: add it to frame-src.`,
          });
      };
      const onmessage = ({ source, data }: MessageEvent) => {
        if (!source || source !== frame.contentWindow) return;
        const { cause, detail } = recordOf(recordOf(data)["params"]);
        resolve({ cause: ANSWERS.find((each) => each === cause) ?? "refused", detail: `${detail}` });
      };
      document.addEventListener("securitypolicyviolation", onviolation, { signal });
      addEventListener("message", onmessage, { signal });
      frame.onload = () => frame.contentWindow?.postMessage("", "*");
      setTimeout(resolve, ANSWER, { cause: "unreachable", detail: `Nothing answers at ${origin}.` });
      place.append(frame);
    });
  } finally {
    ends.abort();
    frame.remove();
  }
}
