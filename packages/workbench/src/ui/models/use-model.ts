/**
 * Selects the model that answers.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import { answeringModel } from "../conversation/answering-model.js";
import { useObserved } from "../use-observable.js";

/** The model that answers in the current conversation, and how to change it. */
export interface UsedModel {
  readonly id: string | undefined;
  /** Its display name. */
  readonly current: string | undefined;
  /** Selects the model for this conversation, which keeps it, and for new ones. */
  choose(id: string | undefined): Promise<void>;
}

/** Renders again when another model is selected. */
export function useModel({ conversation, models }: Workbench): UsedModel {
  const settings = useObserved(conversation, (each) => each.settings);
  const state = useObserved(models, (each) => each.state);
  return {
    id: settings.model ?? state?.current,
    current: answeringModel(state, settings.model),
    choose: async (id) => {
      await models.choose(id);
      if (id !== settings.model)
        await conversation.configure({ ...settings, model: id }).catch(models.report);
    },
  };
}
