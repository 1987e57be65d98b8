/**
 * The size of messages to pages. A page refuses a larger message, and would receive it again after every reconnect.
 *
 * @module
 */
import { sizeOf } from "@vitrine/guard";
import { answerText, type OpenedView } from "@vitrine/wire";

/** Maximum characters of a message to a page: somewhat less than `SESSION_LIMITS.message`, because frames count too. */
export const MAX_MESSAGE = 64_000_000;

/**
 * Characters of a value as JSON, or some number above the limit. Escaped characters and numbers take up to six times as
 * many as `sizeOf` counts, which is much faster.
 */
export function jsonSize(value: unknown, limit: number): number {
  const counted = sizeOf(value, limit);
  return counted > limit ? counted : answerText(value).length;
}

/** Whether a value takes more characters than the limit as JSON. Small values are not written for that. */
export const isLargerThan = (limit: number, value: unknown): boolean =>
  sizeOf(value, limit) * 6 > limit && jsonSize(value, limit) > limit;

/**
 * The views for one answer, with `room` characters for their inputs and results. Calls that do not fit are left out, and
 * passed to `later`, which sends them one by one.
 */
export function inOneMessage(
  views: readonly OpenedView[],
  room: number,
  later: (view: OpenedView) => void,
): OpenedView[] {
  return views.map((opened) => {
    const { input, result, cancelled, ...rest } = opened;
    const size = jsonSize([input, result], room);
    if (size <= room) {
      room -= size;
      return opened;
    }
    later(opened);
    return rest;
  });
}
