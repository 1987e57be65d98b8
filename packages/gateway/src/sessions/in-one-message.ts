/**
 * Many views in one answer, whatever their calls have come to.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import type { OpenedView } from "@vitrine/wire";

/** Characters of input and results that one answer has; a message may have four times as many. */
const ROOM = 16_000_000;

/**
 * The views, as an answer tells of them. Calls that find no room in it are left to `later`, one by one: a page refuses
 * what is larger than a message, and would ask for it for ever.
 */
export function inOneMessage(views: readonly OpenedView[], later: (view: OpenedView) => void): OpenedView[] {
  let room = ROOM;
  return views.map((opened) => {
    const { input, result, cancelled, ...rest } = opened;
    const size = sizeOf([input, result], room);
    if (size <= room) {
      room -= size;
      return opened;
    }
    later(opened);
    return rest;
  });
}
