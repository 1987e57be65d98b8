/**
 * What people do in a view: presses, of which the host hears, and keys that were meant for the page. Runs before every
 * script of the view, so that none hears an event first.
 */

/** Milliseconds after this window took the focus by itself, in which keys were typed for what had it before. */
const FOREIGN = 250;
/** Milliseconds after a press in which the focus moves. */
const PRESS = 500;

// An app may put something else in its place.
const now = performance.now.bind(performance);
let pressedAt = Number.NEGATIVE_INFINITY;
let takenAt = Number.NEGATIVE_INFINITY;
let tellPress: (() => void) | undefined;

/** Listens. Returns the proxy's end of the way on which presses are told. */
export function watchInput(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  // Of a document that is written anew the first way stays: the proxy takes no other.
  tellPress ??= port1.postMessage.bind(port1, 0);
  const press = ({ isTrusted }: Event): void => {
    if (!isTrusted) return;
    pressedAt = now();
    takenAt = Number.NEGATIVE_INFINITY;
    tellPress?.();
  };
  for (const type of ["pointerdown", "click"]) addEventListener(type, press, true);
  addEventListener(
    "focus",
    ({ target }) => {
      if (target === window && now() - pressedAt > PRESS) takenAt = now();
    },
    true,
  );
  for (const type of ["keydown", "keypress", "keyup", "beforeinput", "compositionstart", "paste"])
    addEventListener(
      type,
      (event) => {
        if (!event.isTrusted || now() - takenAt > FOREIGN) return;
        // Tab led here.
        if ((event as KeyboardEvent).key === "Tab") {
          takenAt = Number.NEGATIVE_INFINITY;
          return;
        }
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      true,
    );
  return port2;
}
