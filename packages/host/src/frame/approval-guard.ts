/**
 * Decides whether a press on a question counts as the user's approval.
 *
 * @module
 */
import { type PromptWords, promptWords } from "../words.js";
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
/** Milliseconds between checks of the question. */
const LOOK = 50;

/** Why a press was refused. */
type Refused = keyof Pick<PromptWords, "early" | "stayed">;

/** Guards one question. */
export interface ApprovalGuard {
  /** Whether enough time has passed: draw the buttons as disabled until then. */
  isReady(): boolean;
  /** Whether this click approves. A refused click restarts the delay. */
  accepts(click: MouseEvent): boolean;
  /** Whether the press that is being handled approves, for a form that Enter submits. */
  acceptsPress(): boolean;
  /**
   * Whether the pointer must first be seen outside of the question. Over an app the page sees no pointer:
   * cover the app until this is false.
   */
  awaitsPointer(): boolean;
  /** Why the last press was refused, as a sentence for the user; empty if it was not. */
  hint(): string;
  /**
   * Restarts the delay: the question now asks something else.
   *
   * @param zone the area that the pointer must enter from outside, instead of the whole question: a second
   * button, for a user who has just pressed another one
   */
  restart(zone?: Element): void;
  stop(): void;
}

/**
 * Guards a question that the page draws itself. A press approves only if all of this is true:
 *
 * - The question was visible, uncovered and in the same place for 600 ms, without any press in that time:
 * neither in the page nor in an app, as far as the page can know. Every earlier press restarts the time.
 * - A mouse pointer was outside of the question after that time, and then moved onto it.
 * - A key was pressed after that time, on the focused button, and does not repeat. The time restarts when the
 * focus enters the question.
 * - The browser marks the event as trusted.
 *
 * @param draw called every 50 ms, so that the buttons can show whether they work
 *
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
  /** Whether the pointer was outside of the question when it became ready, or later. */
  let wasOutside = false;
  /** Whether it was ready at the last check: the buttons show that only after the pointer was checked. */
  let wasReady = false;
  /** Whether an app covered the question, with the pointer possibly in it. */
  let wasCovered = false;
  /**
   * Whether the question lies over an app, or was covered, so that the pointer may be on it without having
   * moved there.
   */
  let mayBeUnder = false;
  /** The element that was pressed last, if that press may approve. */
  let pressed: EventTarget | undefined;
  /**
   * Whether a press was refused, and its click is still to come: perhaps much later, when the key is
   * released.
   */
  let isRefused = false;
  /**
   * Why the last press was refused. It is shown at the pointer's click on an approving button: earlier, a
   * hint would move the button being pressed.
   */
  let refusal: Refused = "early";
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
    hint = promptWords()[refusal];
    draw();
  };
  const isInside = (point: Point | undefined): boolean =>
    point !== undefined && hitsBox(point, zone.getBoundingClientRect());
  const meetsApp = (): boolean => appBoxes().some((app) => hitsBox(app, box.getBoundingClientRect()));
  /** Restarts if the question moved: an app may have moved it under the pointer. */
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
  const press = (event: Event, isAllowed: boolean, why: Refused): void => {
    const path = event.composedPath();
    isRefused = !(isReady() && isAllowed);
    if (isReady() && isAllowed) [pressed] = path;
    else {
      refusal = isReady() ? why : "early";
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
    // A touch does not hover: only its start is known.
    if (!isInside(pointOf(event))) mayBeUnder = false;
    press(event, event.pointerType === "touch" || wasOutside, "stayed");
  });
  listen("keydown", (event) => {
    if (!event.isTrusted || (event.key !== "Enter" && event.key !== " ")) return;
    look();
    press(event, !event.repeat, "early");
  });
  // A key right after Tab may be meant for the previously focused element. A press moves the focus too.
  const enter = ({ relatedTarget }: FocusEvent): void => {
    const isPressed = pressed instanceof Node && box.contains(pressed);
    if (!isPressed && !box.contains(relatedTarget as Node | null)) restart();
  };
  box.addEventListener("focusin", enter as EventListener, { signal });
  const question: OpenQuestion = {
    // A user who follows a moving target in an app may press once too often, and beside it.
    onAppPress: restart,
    // Not every browser reports that an app covers the question. Uncovered, it may be under a pointer that
    // was over the app.
    onModeChange: () => {
      wasCovered = true;
      at = "";
      restart();
    },
  };
  openQuestions.add(question);
  // A press in another frame moves the focus there, which is all that a page can know.
  listen("blur", ({ target }) => target === window && restart());
  document.addEventListener("visibilitychange", restart, { signal });

  const uncovered = new IntersectionObserver(
    ([entry]) => {
      const { isVisible } = entry as { isVisible?: boolean };
      // Uncovered, it may be under a pointer that was over its cover.
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
      // A screen reader clicks without a pointer or key.
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
