/**
 * Chooses the model that answers.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { useObserved } from "../use-observable.js";
import { factsLine } from "./model-facts.js";
import { useModel } from "./use-model.js";

/** Stands for no model in the list; no model has this name. */
const NONE = "/";

/** The list of models, as a select control. */
export function ModelChoice({ workbench }: { workbench: Workbench }) {
  const state = useObserved(workbench.models, (each) => each.state);
  const { id, choose } = useModel(workbench);
  if (!state) return null;
  // A model that was chosen from a provider's own list, or is gone.
  const unlisted =
    id !== undefined && !state.models.some((each) => each.id === id)
      ? [{ id, label: id, description: undefined }]
      : [];
  return (
    <Choice
      label="The model that answers"
      options={[
        ...unlisted,
        ...state.models.map(({ id, label, problem: unusable, ...facts }) => ({
          id,
          label,
          description: unusable ?? (factsLine(facts) || undefined),
        })),
        {
          id: NONE,
          label: "No model: tools by hand",
          // Help text, if no model is available.
          description: state.models.length === 0 ? state.help : undefined,
        },
      ]}
      value={id ?? NONE}
      onChange={(chosen) => void choose(chosen === NONE ? undefined : chosen)}
    />
  );
}
