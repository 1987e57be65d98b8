/**
 * What people do in a view: presses, of which the host hears, and keys that were meant for the page. Runs before every
 * script of the view, so that none hears an event first.
 */
import { drop, keyOf, listen, now, targetOf } from "./originals.js";

/** Milliseconds after this window took the focus by itself, in which keys were typed for what had it before. */
const FOREIGN = 250;
/** Milliseconds after a press in which the focus moves. */
const PRESS = 500;

let pressedAt = Number.NEGATIVE_INFINITY;
let takenAt = Number.NEGATIVE_INFINITY;
/** Notifies the proxy: 0 is a press, 1 is Tab, which may lead into another app. */
let notify: ((what: 0 | 1) => void) | undefined;

/** Listens. Returns the proxy's end of the port on which it is notified. */
export function watchInput(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  // Of a document that is written anew the first port stays: the proxy takes no other.
  notify ??= port1.postMessage.bind(port1);
  const press = ({ isTrusted }: Event): void => {
    if (!isTrusted) return;
    pressedAt = now();
    takenAt = Number.NEGATIVE_INFINITY;
    notify?.(0);
  };
  for (const type of ["pointerdown", "click"]) listen(window, type, press);
  listen(window, "focus", (event) => {
    if (targetOf(event) === window && now() - pressedAt > PRESS) takenAt = now();
  });
  const onKey = (event: Event): void => {
    if (event.isTrusted && now() - takenAt < FOREIGN) drop(event);
  };
  const onKeyboard = (event: Event): void => {
    if (event.isTrusted && keyOf(event) === "Tab") {
      // Tab led here, or leads out of here.
      takenAt = Number.NEGATIVE_INFINITY;
      notify?.(1);
    } else onKey(event);
  };
  for (const type of ["keydown", "keypress", "keyup"]) listen(window, type, onKeyboard);
  for (const type of ["beforeinput", "compositionstart", "paste"]) listen(window, type, onKey);
  return port2;
}
