/**
 * Finds the size that the content wants, whatever the frame's size is now, and reports it when it changes.
 *
 * Content that takes its height from the frame (`100vh`, `100%`) would grow or shrink with every report that
 * the host follows. So the height is measured with such heights switched off: percentages by a root of no
 * definite height, viewport units in the very declarations that have them. All is put back before anything
 * is painted, and only keywords replace lengths: between those there are no transitions.
 *
 * @module
 */
import type { HostContext } from "@vitrine/protocol";

/** What a view reports. */
export type Size = { width: number; height: number };

/** Anything with a style or with rules: style sheets, rules, elements. */
type Styled = { style?: CSSStyleDeclaration; cssRules?: Iterable<object> };

/** Heights in terms of the frame's, and variables that may be one, in the text of a style; `k` is of `block`. */
const FRAME_HEIGHT = /(height|k-size|--[\w-]+): [^;]*v[hmb][^;!]*/g;

/** How far down the document is moved to be measured: further than any frame is high. */
const DOWN = 99_999;

/**
 * A document is never lower than its frame. One that starts below the frame's end is higher by all that can be
 * scrolled to: popups too, and margins as they are. Not by one frame: while a frame changes its size, what it
 * says of its height and what the layout makes of it may differ.
 */
const BELOW = `;height:unset!important;min-height:unset!important;position:relative;top:${DOWN}px;scrollbar-width:none`;

/** Content without a height, in a frame without one: as high as a frame is in CSS. */
const DEFAULT_HEIGHT = 150;

/** Watches the document and reports its size, now and on every change (X05). */
export function watchSize(
  report: (size: Size) => void,
  context: () => HostContext | undefined,
): { check: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | 0 | undefined;
  let last: string | undefined;
  let sent: string | undefined;
  let frameHeight: number | undefined;
  /** Until when a change of the content may be the effect of the frame's. */
  let echoUntil = 0;
  let echoes = 0;
  let askedWidth = 0;
  /** When the next measurement may be: the larger the page, the longer the pause, a fifth of the time at most. */
  let next = 0;

  const measure = (): void => {
    timer = undefined;
    const began = Date.now();
    const elements = [...document.querySelectorAll<HTMLElement>("*")];
    // Styles before what scrolls in them, and the latest style first.
    const undo: (() => unknown)[] = [];
    for (const element of elements) {
      const top = element.scrollTop;
      // Only if it moved: scrolling to where it is would end a smooth scroll on its way.
      if (top) {
        undo.push(() => element.scrollTop !== top && element.scrollTo({ top, behavior: "instant" }));
      }
      resizes.observe(element);
    }

    const free = (all: Iterable<Styled>, more = ""): void => {
      for (const one of all) {
        try {
          const { style, cssRules = [] } = one;
          const own = style?.cssText ?? "";
          const freed = own.replace(FRAME_HEIGHT, "$1:unset") + more;
          if (style && freed !== own) {
            undo.unshift(() => {
              style.cssText = own;
            });
            style.cssText = freed;
          }
          free(cssRules);
        } catch {
          // A style sheet of another origin, not ours to read.
        }
      }
    };
    free(document.styleSheets);
    free(document.querySelectorAll<HTMLElement>("[style*=v]"));
    free([document.documentElement], BELOW);

    const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.body;
    // Content that was given the width it asked for and is still wider would be wider than any.
    if (scrollWidth <= innerWidth) askedWidth = 0;
    else if (innerWidth !== askedWidth) askedWidth = scrollWidth;
    const width = askedWidth || innerWidth;
    const given = innerHeight || DEFAULT_HEIGHT;
    let height = scrollHeight - DOWN;
    const flat = height < given ? elements.filter((element) => !element.offsetHeight) : [];

    for (const back of undo) back();
    mutations.takeRecords();
    // What has a height from the frame only, a map for example, keeps it: the frame's is as good as any.
    if (flat.some((element) => element.offsetHeight || element === document.body)) height = given;

    // Did the content change by itself, or because the frame took the height that we asked for?
    const echo = innerHeight !== frameHeight && Date.now() < echoUntil;
    const size = `${width} ${height}`;
    if (!echo && size !== last) echoes = 0;
    last = size;
    // Fullscreen is the host's size; on the way back the host must hear ours again.
    if (context()?.displayMode === "fullscreen") sent = undefined;
    // A frame that is not displayed has no width.
    else if (size !== sent && innerWidth) {
      frameHeight = innerHeight;
      // A loop, it seems: see whether the content changes while the frame does not, waiting ever longer.
      if (echo && ++echoes > 2) timer = setTimeout(measure, 8 << echoes);
      else {
        sent = size;
        report({ width, height });
      }
    }
    next = Date.now() * 5 - began * 4;
  };
  const check = (): void => {
    timer ??= setTimeout(measure, Math.max(16, next - Date.now()));
  };

  // A scroll bar that the frame no longer needs stays, as the content is higher beside it; measuring ends that.
  const resized = (): void => {
    echoUntil = Date.now() + 400;
    check();
  };
  const resizes = new ResizeObserver(check);
  const mutations = new MutationObserver(check);
  mutations.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  addEventListener("resize", resized);
  // At once: a frame of no height is not painted, and observers of what is not painted stay silent.
  measure();
  return {
    check,
    stop: () => {
      clearTimeout(timer);
      timer = 0; // Not undefined: nothing is measured any more.
      resizes.disconnect();
      mutations.disconnect();
      removeEventListener("resize", resized);
    },
  };
}
