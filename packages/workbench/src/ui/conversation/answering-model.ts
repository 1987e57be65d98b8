/**
 * Who answers.
 *
 * @module
 */
import type { ModelState } from "@vitrine/wire";

/** What the model that answers is called; undefined if none does, or nothing is known of it yet. */
export function answeringModel(state: ModelState | undefined): string | undefined {
  const { current, models = [] } = state ?? {};
  return models.find(({ id }) => id === current)?.label ?? current;
}
