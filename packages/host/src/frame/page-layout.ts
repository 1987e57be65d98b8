/**
 * Where apps and the pointer are in the page, as far as the page can know.
 *
 * @module
 */

/** A place in the window, in CSS pixels. */
export interface Point {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The boxes of all apps. While the pointer is in one of them, the page hears nothing of it. */
const apps = new Set<Element>();
/** The box of the app that was pressed last. */
let pressedBox: Element | undefined;
let pointer: Point | undefined;
let pointerAt = Number.NEGATIVE_INFINITY;
let pagePressAt = Number.NEGATIVE_INFINITY;
let isTracking = false;

/** Counts an app's box, and begins to follow the pointer. Returns what takes it out again. */
export function addAppBox(box: Element): () => void {
  apps.add(box);
  if (!isTracking) {
    isTracking = true;
    const follow = (event: PointerEvent): void => {
      if (!event.isTrusted) return;
      pointer = pointOf(event);
      pointerAt = event.timeStamp;
      if (event.type === "pointerdown") pagePressAt = pointerAt;
    };
    for (const type of ["pointermove", "pointerdown"] as const)
      addEventListener(type, follow, { capture: true, passive: true });
  }
  return () => void apps.delete(box);
}

/** Where an event was. */
export const pointOf = ({ clientX: x, clientY: y }: MouseEvent): Point => ({
  left: x,
  right: x,
  top: y,
  bottom: y,
});

/** The boxes of all apps in the window. */
export const appBoxes = (): Point[] => [...apps].map((box) => box.getBoundingClientRect());

const isUsed = (box: Element): boolean =>
  box === pressedBox ||
  box.matches(":modal") ||
  (box.getRootNode() as Document | ShadowRoot).activeElement?.localName === "iframe";

/** The boxes, in the window, of apps that the person may be about to press: pressed last, focused, or over the whole page. */
export const usedAppBoxes = (): Point[] => [...apps].filter(isUsed).map((box) => box.getBoundingClientRect());

/** Where the pointer was when the page last heard of it. */
export const lastPointer = (): Point | undefined => pointer;

/** A question that is open somewhere in the page. */
export interface OpenQuestion {
  /** The person pressed something in an app. */
  onAppPress(): void;
  /** An app came over the page, or left. */
  onModeChange(): void;
}

/** All open questions, as `guardApproval` watches them. */
export const openQuestions = new Set<OpenQuestion>();

/** The person pressed something in the app in this box: the pointer is there, unless the page has seen it since. */
export function noteAppPress(box: Element, at: number): void {
  pressedBox = box;
  if (at > pointerAt) pointer = undefined;
  for (const question of openQuestions) question.onAppPress();
}

/** Whether the person pressed something in the page a moment ago: then the pointer is in no app. It moves into one in less time. */
export const isPointerKnown = (): boolean => performance.now() - pagePressAt < 200;

/** Whether two boxes have a point in common. */
export const hitsBox = (one: Point, other: Point): boolean =>
  one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom;

/** Pixels between a question and what it must not touch. */
const GAP = 8;

/** Whether an app, another question or the pointer is there; the pointer with some room around it. */
interface Obstacles {
  readonly boxes: readonly Point[];
  readonly pointer: Point | undefined;
}

/**
 * Finds a place for a box of this size that touches no obstacle: beside `near` first, then in the corners of the window.
 */
export function freePlace(
  { width, height }: { width: number; height: number },
  near: Point | undefined,
  { boxes, pointer: avoided }: Obstacles,
): Point | undefined {
  const right = innerWidth - width - GAP;
  const bottom = innerHeight - height - GAP;
  const within = (value: number, most: number): number => Math.max(GAP, Math.min(value, most));
  const places: [left: number, top: number][] = [];
  if (near) {
    const x = within(near.left, right);
    const y = within(near.top, bottom);
    places.push([x, near.bottom + GAP], [x, near.top - height - GAP]);
    places.push([near.right + GAP, y], [near.left - width - GAP, y]);
  }
  places.push([right, bottom], [GAP, bottom], [right, GAP], [GAP, GAP]);
  for (const [left, top] of places) {
    const place = { left, top, right: left + width, bottom: top + height };
    const isInWindow = left >= GAP && top >= GAP && left <= right && top <= bottom;
    const around = avoided && {
      left: avoided.left - 2 * GAP,
      top: avoided.top - 2 * GAP,
      right: avoided.right + 2 * GAP,
      bottom: avoided.bottom + 2 * GAP,
    };
    if (!isInWindow || (around && hitsBox(around, place))) continue;
    // A question whose shadow reaches another one counts as covered by it.
    const room = GAP - 1;
    const spaced = {
      left: left - room,
      top: top - room,
      right: place.right + room,
      bottom: place.bottom + room,
    };
    if (!boxes.some((box) => hitsBox(box, spaced))) return place;
  }
  return undefined;
}
