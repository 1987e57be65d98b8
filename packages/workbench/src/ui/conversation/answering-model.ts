/**
 * The model that answers.
 *
 * @module
 */
import type { ModelState } from "@vitrine/wire";

/** Display name of the current model; undefined if there is none, or it is not known yet. */
export function answeringModel(state: ModelState | undefined): string | undefined {
  const { current, models = [] } = state ?? {};
  return models.find(({ id }) => id === current)?.label ?? current;
}
