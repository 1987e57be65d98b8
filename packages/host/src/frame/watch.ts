/**
 * Watches whether an app's process still runs. An app in an endless loop blocks its own process, not the
 * page's, so the page only sees silence.
 *
 * @module
 */
import type { FrameFailureCode } from "./failure.js";
import type { ProxyFrame } from "./proxy-frame.js";

/** Milliseconds between checks. */
const BEAT = 1000;
/** Number of unanswered checks after which an app counts as unresponsive. */
const MISSED = 3;
/** Milliseconds of a standstill. A page that stood still longer was asleep with its machine. */
const LEAST = 3000;
const LONGEST = 120_000;
/** The app that started or was pressed last: the likely cause of a standstill. */
let latest: ProxyFrame | undefined;
/** The time when the page was hidden or shown: timers of a hidden page are late. */
let turned: number | undefined;

/** Remembers that the user pressed something in an app. */
export const noteUse = (frame: ProxyFrame): void => {
  latest = frame;
};

/** Maximum windows of an app: a page has about a thousand for all. */
const MOST = 100;

/** Burst and rate per second of messages that bypass the proxy: an app has no reason to send any. */
const STRAY_BURST = 300;
const STRAY_PER_SECOND = 50;

/** Events of a watched frame. */
export interface Watched {
  /** The browser ended it, or it has too many frames, or it floods the page. */
  onend(code: FrameFailureCode, detail?: string): void;
  /** The proxy answered, with whether the user was active in the app within the last seconds. */
  onpong(isActive: unknown): void;
  /** It stopped responding, or responds again. */
  onsilence(silent: boolean): void;
  /** The page stood still, and this app may be the cause. */
  onstandstill(): void;
}

/** Watches a frame once its proxy is loaded. Returns a function that stops. */
export function watch(frame: ProxyFrame, { onend, onpong, onsilence, onstandstill }: Watched): () => void {
  const { iframe, transport } = frame;
  noteUse(frame);
  if (turned === undefined) {
    turned = 0;
    document.addEventListener("visibilitychange", () => {
      turned = performance.now();
    });
  }
  let unanswered = 0;
  let looked = performance.now();
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
    const now = performance.now();
    const pause = now - looked;
    // WebKit runs apps in the page's process: an app in a loop stops the page, too.
    if (/^Apple/.test(navigator.vendor) && latest === frame && looked > Number(turned))
      if (pause > LEAST && pause < LONGEST) onstandstill();
    looked = now;
    if (!transport.isReady) return;
    // The proxy always contains one frame, as long as its process runs.
    const count = windowsFrom(iframe.contentWindow);
    if (count < 2) return onend("crashed");
    if (count > MOST) return onend("stopped", "too many frames");
    // A page in the background is slow itself.
    if (document.hidden) unanswered = 0;
    else if (unanswered++ === MISSED) onsilence(true);
    transport.tell("ping");
  }, BEAT);
  return () => {
    clearInterval(timer);
    if (latest === frame) latest = undefined;
  };
}

/** The number of windows from this one on, or somewhat more than the maximum. */
function windowsFrom(window: Window | null | undefined): number {
  let sum = 1;
  for (let index = 0; window && index < window.length && sum <= MOST; index++)
    sum += windowsFrom(window[index]);
  return sum;
}
