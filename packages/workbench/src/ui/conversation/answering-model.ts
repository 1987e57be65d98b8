/**
 * The model that answers.
 *
 * @module
 */
import type { ModelState } from "@vitrine/wire";

/**
 * Display name of the model that answers; undefined if there is none, or it is not known yet.
 *
 * @param chosen the model that the user chose for the conversation
 */
export function answeringModel(state: ModelState | undefined, chosen?: string): string | undefined {
  const { current, models = [] } = state ?? {};
  const wanted = chosen ?? current;
  return models.find(({ id }) => id === wanted)?.label ?? wanted;
}
