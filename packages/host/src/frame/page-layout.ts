/**
 * Positions of apps and the pointer in the page, as far as the page knows.
 *
 * @module
 */

/** A rectangle in the window, in CSS pixels. */
export interface Point {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The boxes of all apps. While the pointer is in one, the page gets no pointer events. */
const apps = new Set<Element>();
/** The box of the app that was pressed last. */
let pressedBox: Element | undefined;
let pointer: Point | undefined;
let pointerAt = Number.NEGATIVE_INFINITY;
let pagePressAt = Number.NEGATIVE_INFINITY;
let isTracking = false;

/** Adds an app's box, and starts to track the pointer. Returns a function that removes it. */
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

/** The position of an event. */
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

/** The boxes of apps that the user may be about to press: pressed last, focused, or over the whole page. */
export const usedAppBoxes = (): Point[] => [...apps].filter(isUsed).map((box) => box.getBoundingClientRect());

/** The last known position of the pointer. */
export const lastPointer = (): Point | undefined => pointer;

/** An open question in the page. */
export interface OpenQuestion {
  /** The user pressed something in an app. */
  onAppPress(): void;
  /** An app came over the page, or left. */
  onModeChange(): void;
}

/** All open questions, as `guardApproval` watches them. */
export const openQuestions = new Set<OpenQuestion>();

/** The user pressed something in this app: the pointer is there, unless the page has seen it since. */
export function noteAppPress(box: Element, at: number): void {
  pressedBox = box;
  if (at > pointerAt) pointer = undefined;
  for (const question of openQuestions) question.onAppPress();
}

/** Whether the user pressed something in the page a moment ago: then the pointer is in no app. */
export const isPointerKnown = (): boolean => performance.now() - pagePressAt < 200;

/** Whether two rectangles intersect. */
export const hitsBox = (one: Point, other: Point): boolean =>
  one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom;

/** Pixels between a question and its obstacles. */
const GAP = 8;

/** Apps, other questions, and the pointer with some room around it. */
interface Obstacles {
  readonly boxes: readonly Point[];
  readonly pointer: Point | undefined;
}

/**
 * Finds a position for a box of this size without obstacles: first beside `near`, then in the corners of the
 * window.
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
    // A question within another one's shadow counts as covered.
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
