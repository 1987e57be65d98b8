/**
 * Whether an app's process still runs. An app that loops takes its own process and not the page's, so the page
 * sees nothing but silence.
 *
 * @module
 */
import type { ProxyFrame } from "./proxy-frame.js";

/** Milliseconds between two looks. */
const BEAT = 1000;
/** Looks without an answer after which an app does not respond. */
const MISSED = 3;

/** What is seen. */
export interface Watched {
  oncrash(): void;
  /** Does not respond any more, or does again. */
  onsilence(silent: boolean): void;
}

/** Watches a frame that is ready. Returns what stops it. */
export function watch({ iframe, transport }: ProxyFrame, { oncrash, onsilence }: Watched): () => void {
  let unanswered = 0;
  transport.onpong = () => {
    if (unanswered > MISSED) onsilence(false);
    unanswered = 0;
  };
  const timer = setInterval(() => {
    // The proxy always has one frame in it, as long as there is a process to have it in.
    if (iframe.contentWindow?.length === 0) {
      oncrash();
      return;
    }
    // A page in the background is slow itself.
    if (document.hidden) unanswered = 0;
    else if (unanswered++ === MISSED) onsilence(true);
    transport.ping();
  }, BEAT);
  return () => clearInterval(timer);
}
