/**
 * Measures the size that the content needs, independent of the frame's current size, and reports changes.
 *
 * Content that takes its height from the frame (`100vh`, `100%`) would grow or shrink with every report that
 * the host follows. So such heights are switched off while measuring: a root of indefinite height disables
 * percentages, and viewport units are replaced in their own declarations. Everything is restored before the
 * next paint. Lengths are replaced only by keywords, because CSS does not animate between a length and a
 * keyword.
 *
 * @module
 */
import type { HostContext } from "./hosts.js";

/** Size reported by a view. */
export type ContentSize = { width: number; height: number };

/** Anything with a style or with rules: style sheets, rules, elements. */
type Styled = { style?: CSSStyleDeclaration; cssRules?: Iterable<object> };

/**
 * Matches, in the text of a style, heights in viewport units and variables that may hold one. `k-size` is the
 * end of `block-size`.
 */
const FRAME_HEIGHT = /(height|k-size|--[\w-]+): [^;]*v[hmb][^;!]*/g;

/** Distance by which the document is moved down to be measured: more than any frame's height. */
const DOWN = 99_999;

/**
 * A document is never shorter than its frame. So it is moved below the frame's end: the scrollable height
 * then grows by its true height, including popups and margins. The offset is a constant, not the frame's
 * height: while a frame is resized, its reported height and its layout may differ.
 */
const BELOW = `;height:unset!important;min-height:unset!important;position:relative;top:${DOWN}px;scrollbar-width:none`;

/** Height of content that has none, in a frame that has none: the default height of an iframe in CSS. */
const DEFAULT_HEIGHT = 150;

/** Watches the document and reports its size, now and on every change. */
export function watchSize(
  report: (size: ContentSize) => void,
  context: () => HostContext | undefined,
): { check: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | 0 | undefined;
  let last: string | undefined;
  let sent: string | undefined;
  let frameHeight: number | undefined;
  /** Until this time, a change of the content may be an echo of the frame's last resize. */
  let echoUntil = 0;
  let echoes = 0;
  let askedWidth = 0;
  /**
   * Earliest time of the next measurement. Measuring takes at most a fifth of the time, so large pages pause
   * longer.
   */
  let next = 0;

  const measure = (): void => {
    timer = undefined;
    const began = Date.now();
    const elements = [...document.querySelectorAll<HTMLElement>("*")];
    // Undo order: styles first (latest change first), then scroll positions.
    const undo: (() => unknown)[] = [];
    for (const element of elements) {
      const top = element.scrollTop;
      // Only if it moved: a call of `scrollTo` would end a smooth scroll in progress.
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
          // A style sheet from another origin cannot be read.
        }
      }
    };
    free(document.styleSheets);
    free(document.querySelectorAll<HTMLElement>("[style*=v]"));
    free([document.documentElement], BELOW);

    const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.body;
    // If the content is still too wide at the width it asked for, it would overflow at any width: stop
    // asking.
    if (scrollWidth <= innerWidth) askedWidth = 0;
    else if (innerWidth !== askedWidth) askedWidth = scrollWidth;
    const width = askedWidth || innerWidth;
    const given = innerHeight || DEFAULT_HEIGHT;
    let height = scrollHeight - DOWN;
    const flat = height < given ? elements.filter((element) => !element.offsetHeight) : [];

    for (const back of undo) back();
    mutations.takeRecords();
    // An element whose height comes only from the frame (a map, for example) keeps the frame's height.
    if (flat.some((element) => element.offsetHeight || element === document.body)) height = given;

    // Did the content change by itself, or because the frame took the height that we asked for?
    const echo = innerHeight !== frameHeight && Date.now() < echoUntil;
    const size = `${width} ${height}`;
    if (!echo && size !== last) echoes = 0;
    last = size;
    // In fullscreen the host sets the size. Afterwards the view must report its own size again.
    if (context()?.displayMode === "fullscreen") sent = undefined;
    // A frame that is not displayed has no width.
    else if (size !== sent && innerWidth) {
      frameHeight = innerHeight;
      // Probably a loop. Wait ever longer, to see whether the content changes while the frame does not.
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

  // A scroll bar that is no longer needed stays, because the content is taller beside it. Measuring again
  // removes it.
  const resized = (): void => {
    echoUntil = Date.now() + 400;
    check();
  };
  const resizes = new ResizeObserver(check);
  const mutations = new MutationObserver(check);
  mutations.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  addEventListener("resize", resized);
  // Measure immediately: a frame of height zero is not painted, so its observers never fire.
  measure();
  return {
    check,
    stop: () => {
      clearTimeout(timer);
      timer = 0; // Not undefined, so that `check` schedules nothing more.
      resizes.disconnect();
      mutations.disconnect();
      removeEventListener("resize", resized);
    },
  };
}
