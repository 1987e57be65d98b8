/**
 * Whether an app's process still runs. An app that loops takes its own process and not the page's, so the page
 * sees nothing but silence.
 *
 * @module
 */
import type { FailureCode } from "./failure.js";
import type { ProxyFrame } from "./proxy-frame.js";

/** Milliseconds between two looks. */
const BEAT = 1000;
/** Looks without an answer after which an app does not respond. */
const MISSED = 3;
/** Windows that an app may have: a page has about a thousand for all. */
const MOST = 100;

/** Messages past the proxy that an app may send at once, and in each second after: it has no reason to send any. */
const STRAY_BURST = 300;
const STRAY_PER_SECOND = 50;

/** What is seen. */
export interface Watched {
  /** The browser ended it; or it has so many frames that others may get none (attack D11), or floods the page (E10). */
  onend(code: FailureCode, detail?: string): void;
  /** The proxy answered; and says whether somebody did something in the app within the last seconds. */
  onpong(isActive: unknown): void;
  /** Does not respond any more, or does again. */
  onsilence(silent: boolean): void;
}

/** Watches a frame, once its proxy is there. Returns what stops it. */
export function watch({ iframe, transport }: ProxyFrame, { onend, onpong, onsilence }: Watched): () => void {
  let unanswered = 0;
  transport.onpong = (isActive) => {
    onpong(isActive);
    if (unanswered > MISSED) onsilence(false);
    unanswered = 0;
  };
  let strays = STRAY_BURST;
  let counted = performance.now();
  transport.onstray = () => {
    const now = performance.now();
    strays = Math.min(STRAY_BURST, strays + ((now - counted) / 1000) * STRAY_PER_SECOND) - 1;
    counted = now;
    if (strays < 0) onend("flooded");
  };
  const timer = setInterval(() => {
    if (!transport.isReady) return;
    // The proxy always has one frame in it, as long as there is a process to have it in.
    const count = windowsFrom(iframe.contentWindow);
    if (count < 2) return onend("crashed");
    if (count > MOST) return onend("stopped", "too many frames");
    // A page in the background is slow itself.
    if (document.hidden) unanswered = 0;
    else if (unanswered++ === MISSED) onsilence(true);
    transport.tell("ping");
  }, BEAT);
  return () => clearInterval(timer);
}

/** How many windows there are from this one on, or somewhat more than are allowed. */
function windowsFrom(window: Window | null | undefined): number {
  let sum = 1;
  for (let index = 0; window && index < window.length && sum <= MOST; index++)
    sum += windowsFrom(window[index]);
  return sum;
}
