/**
 * Decides whether a press on a question is a person's approval (attacks C21, E02).
 *
 * @module
 */
import {
  appBoxes,
  hitsBox,
  isPointerKnown,
  lastPointer,
  type OpenQuestion,
  openQuestions,
  type Point,
  pointOf,
} from "./page-layout.js";

/** Milliseconds without a press, a move of the question or something over it, before a press approves. */
const DELAY = 600;
/** Milliseconds between two looks at the question. */
const LOOK = 50;

const EARLY = "That press came too early to count. Wait a moment, then press again.";
const STAYED = "Move the pointer off this question and back onto the button, then press.";

/** Watches one question. */
export interface ApprovalGuard {
  /** Whether enough time has passed: draw the buttons as disabled until then. */
  isReady(): boolean;
  /** Whether this click approves. A refused click starts the delay again. */
  accepts(click: MouseEvent): boolean;
  /** Whether the press that is handled now approves, for a form that Enter submits. */
  acceptsPress(): boolean;
  /**
   * Whether the pointer must be seen outside of the question first. Over an app the page sees no pointer: cover the app
   * until this is false.
   */
  awaitsPointer(): boolean;
  /** Why the last press was refused, as a sentence for the person; empty if it was not. */
  hint(): string;
  /**
   * Starts the delay again: the question now asks something else.
   *
   * @param zone where the pointer must come from outside of, in place of the whole question: the button that asks a person
   * once more who has just pressed another one
   */
  restart(zone?: Element): void;
  stop(): void;
}

/**
 * Guards a question that the page draws itself. A press approves only if all of this is true:
 *
 * - The question was in sight, uncovered and in the same place for 600 ms, and nobody pressed anything in that time:
 *   not in the page, and not in an app as far as the page can know. Every earlier press starts the time again.
 * - A mouse pointer was outside of the question after that time, and then moved onto it.
 * - A key was pressed after that time, on the focused button, and does not repeat. The time starts again when the focus
 *   enters the question.
 * - The browser says that a person did it.
 *
 * @param draw called every 50 ms, so that the buttons can show whether they work
 * @example
 * ```ts source="../frame.examples.ts#guardApproval"
 * const guard = guardApproval(dialog, () => {
 *   allow.ariaDisabled = `${!guard.isReady()}`;
 *   hint.textContent = guard.hint();
 * });
 * allow.onclick = (click) => {
 *   if (guard.accepts(click)) agree();
 * };
 * ```
 */
export function guardApproval(box: Element, draw: () => void): ApprovalGuard {
  let quietSince = performance.now();
  let wasVisible: boolean | undefined;
  /** The pointer was outside of the question when it became ready, or later. */
  let wasOutside = false;
  /** It was ready at the last look: the buttons show that only after the pointer was looked for. */
  let wasReady = false;
  /** An app covered the question, and the pointer may have been in it. */
  let wasCovered = false;
  /** The question lies over an app, or was under something, so that the pointer may be on it without having moved there. */
  let mayBeUnder = false;
  /** The element that was pressed last, if that press may approve. */
  let pressed: EventTarget | undefined;
  /** A press was refused, and its click is still to come: perhaps much later, when the key is released. */
  let isRefused = false;
  /** Why the last press was refused. A pointer's click on a button that approves shows it: before, a hint would move what is being pressed. */
  let refusal = EARLY;
  let hint = "";
  let at = "";
  const ends = new AbortController();
  const { signal } = ends;

  const isReady = (): boolean => performance.now() - quietSince > DELAY;
  let zone = box;
  const restart = (): void => {
    // A covered question stays covered.
    if (quietSince < Number.POSITIVE_INFINITY) quietSince = performance.now();
    wasOutside = false;
    pressed = undefined;
  };
  const refuse = (): void => {
    restart();
    hint = refusal;
    draw();
  };
  const isInside = (point: Point | undefined): boolean =>
    point !== undefined && hitsBox(point, zone.getBoundingClientRect());
  const meetsApp = (): boolean => appBoxes().some((app) => hitsBox(app, box.getBoundingClientRect()));
  /** Starts again if the question moved: an app may have moved it under the pointer. */
  const look = (): void => {
    const rect = box.getBoundingClientRect();
    const now = `${rect.x} ${rect.y} ${rect.width} ${rect.height}`;
    if (now !== at) {
      at = now;
      mayBeUnder = !isPointerKnown() && (wasCovered || meetsApp());
      if (quietSince < Number.POSITIVE_INFINITY) wasCovered = false;
      restart();
    }
    wasReady = isReady();
    if (wasReady && !mayBeUnder && !isInside(lastPointer())) wasOutside = true;
  };
  const press = (event: Event, isAllowed: boolean, why: string): void => {
    const path = event.composedPath();
    isRefused = !(isReady() && isAllowed);
    if (isReady() && isAllowed) [pressed] = path;
    else {
      refusal = isReady() ? why : EARLY;
      if (event.type === "keydown" && path.includes(box)) refuse();
      else restart();
    }
  };
  const listen = <K extends keyof WindowEventMap>(type: K, act: (event: WindowEventMap[K]) => void): void =>
    addEventListener(type, act, { signal, capture: true });

  listen("pointermove", (event) => {
    if (!event.isTrusted || isInside(pointOf(event))) return;
    mayBeUnder = false;
    if (isReady()) wasOutside = true;
  });
  listen("pointerdown", (event) => {
    if (!event.isTrusted) return;
    look();
    // A finger does not hover: where it comes down is all that is known.
    if (!isInside(pointOf(event))) mayBeUnder = false;
    press(event, event.pointerType === "touch" || wasOutside, STAYED);
  });
  listen("keydown", (event) => {
    if (!event.isTrusted || (event.key !== "Enter" && event.key !== " ")) return;
    look();
    press(event, !event.repeat, EARLY);
  });
  // The key that follows on Tab may be meant for what had the focus before. A press moves the focus too.
  const enter = ({ relatedTarget }: FocusEvent): void => {
    const isPressed = pressed instanceof Node && box.contains(pressed);
    if (!isPressed && !box.contains(relatedTarget as Node | null)) restart();
  };
  box.addEventListener("focusin", enter as EventListener, { signal });
  const question: OpenQuestion = {
    // A person who chases something in an app may press once too often, and beside it.
    onAppPress: restart,
    // Not every browser says that an app covers the question. Uncovered, it may be under a pointer that was over the app.
    onModeChange: () => {
      wasCovered = true;
      at = "";
      restart();
    },
  };
  openQuestions.add(question);
  // A press in another frame takes the focus there, which is all that a page can know of it.
  listen("blur", ({ target }) => target === window && restart());
  document.addEventListener("visibilitychange", restart, { signal });

  const uncovered = new IntersectionObserver(
    ([entry]) => {
      const { isVisible } = entry as { isVisible?: boolean };
      // Uncovered, it may be under a pointer that was over what covered it.
      at = "";
      restart();
      const isCovered = wasVisible === true && !isVisible;
      wasCovered ||= isCovered && meetsApp();
      quietSince = isCovered ? Number.POSITIVE_INFINITY : performance.now();
      wasVisible ||= isVisible;
      draw();
    },
    { trackVisibility: true, delay: 100 } as IntersectionObserverInit,
  );
  uncovered.observe(box);
  const timer = setInterval(() => {
    look();
    draw();
  }, LOOK);
  look();

  return {
    isReady: () => wasReady && isReady(),
    accepts: (click) => {
      if (!click.isTrusted) return false;
      look();
      // A screen reader clicks without a pointer or a key.
      const isAssisted = pressed === undefined && !isRefused && click.detail === 0 && isReady();
      isRefused = false;
      if (isAssisted) pressed = click.composedPath()[0];
      const isPressed = pressed !== undefined && click.composedPath().includes(pressed);
      if (isReady() && isPressed && click.detail < 2) return true;
      refuse();
      return false;
    },
    acceptsPress: () => {
      if (isReady() && pressed !== undefined) return true;
      refuse();
      return false;
    },
    awaitsPointer: () => !wasOutside && (mayBeUnder || isInside(lastPointer())),
    hint: () => hint,
    restart: (within = box) => {
      zone = within;
      hint = "";
      restart();
    },
    stop: () => {
      ends.abort();
      openQuestions.delete(question);
      clearInterval(timer);
      uncovered.disconnect();
    },
  };
}
