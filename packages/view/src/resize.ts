/**
 * Finds the size that the content wants, whatever the frame's size is now, and reports it when it changes.
 *
 * Content that takes its height from the frame (`100vh`, `100%`) would grow or shrink with every report that
 * the host follows. So the height is measured with such heights switched off: those of the root and the body
 * always, those of another element once it was seen to follow the frame from one height to another.
 *
 * @module
 */
import type { HostContext } from "@vitrine/protocol";

/** What a view reports. */
export type Size = { width: number; height: number };

/** When the frame follows us and the content follows the frame this often in a row, it is a loop. */
const MAX_ECHOES = 3;
const STILL = ";transition:none!important";
const AUTO = `${STILL};height:auto!important;min-height:0!important`;

/** Watches the document and reports its size, now and on every change (X05). */
export function watchSize(
  report: (size: Size) => void,
  context: () => HostContext | undefined,
): { check: () => void; stop: () => void } {
  const { documentElement: root, body } = document;
  /** Elements as high as the frame, with the frame's height when that was first seen. */
  const suspects = new WeakMap<Element, number>();
  const followers = new Set([root, body]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frameHeight = 0;
  let sent: Size | undefined;
  let echoes = 0;

  const findFollowers = (): void => {
    for (const element of body.querySelectorAll<HTMLElement>("*")) {
      if (element.offsetHeight < innerHeight) continue;
      const { height, minHeight } = getComputedStyle(element);
      if (![height, minHeight].includes(`${innerHeight}px`)) continue;
      const seen = suspects.get(element);
      if (!seen) suspects.set(element, innerHeight);
      else if (seen !== innerHeight) followers.add(element);
    }
  };

  const naturalHeight = (): number => {
    const before = [...followers].map(({ style }) => [style, style.cssText] as const);
    const restyle = (css: string): void => {
      for (const [style, own] of before) style.cssText = own + css;
    };
    restyle(AUTO);
    // Content that only fills the frame has no height of its own: the frame's is as good as any.
    let height = body.offsetHeight ? root.getBoundingClientRect().height : innerHeight;
    // What sticks out of the flow, popups for example, is what the body would have to scroll to.
    restyle(`${AUTO};overflow:hidden!important;position:relative!important`);
    height += body.scrollHeight - body.clientHeight;
    // Back, without starting a transition from what nobody saw.
    restyle(STILL);
    root.offsetHeight;
    restyle("");
    return Math.ceil(height);
  };

  const measure = (): void => {
    timer = undefined;
    findFollowers();
    const width = Math.max(innerWidth, root.scrollWidth);
    const height = naturalHeight();
    mutations.takeRecords();
    // Did the content change by itself, or only because the frame took the height that we asked for?
    const echo = innerHeight !== frameHeight && innerHeight === sent?.height;
    frameHeight = innerHeight;
    // Fullscreen is the host's size; on the way back the host must hear ours again.
    if (context()?.displayMode === "fullscreen") sent = undefined;
    else if (width !== sent?.width || height !== sent.height) {
      echoes = echo ? echoes + 1 : 0;
      if (echoes < MAX_ECHOES) report((sent = { width, height }));
    }
  };
  const check = (): void => {
    timer ??= setTimeout(measure, 16);
  };

  const resizes = new ResizeObserver(check);
  const mutations = new MutationObserver(check);
  resizes.observe(body);
  mutations.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  addEventListener("load", check, true);
  // At once: a frame of no height is not painted, and observers of what is not painted stay silent.
  measure();
  return {
    check,
    stop: () => {
      clearTimeout(timer);
      resizes.disconnect();
      mutations.disconnect();
      removeEventListener("load", check, true);
    },
  };
}
