/**
 * Header of the conversation: title, model and usage.
 *
 * @module
 */
import { memo } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { factsLine } from "../models/model-facts.js";
import { ModelsButton } from "../models/models-button.js";
import { useModel } from "../models/use-model.js";
import { useObservable, useObserved } from "../use-observable.js";
import { ConversationsButton } from "./conversations-button.js";
import { SettingsButton } from "./settings-button.js";
import { Usage } from "./usage.js";
import "./head.css";

/** Stands for no model in the list; no model has this name. */
const NONE = "/";

/** Props of a {@link ConversationHead}. */
export interface ConversationHeadProps {
  workbench: Workbench;
  /** Finds words in the conversation. */
  onFind: (words: string) => void;
}

/** The header of the middle pane. */
export const ConversationHead = memo(({ workbench, onFind }: ConversationHeadProps) => {
  const { conversation, models } = workbench;
  const title = useObserved(conversation, (each) => each.title);
  const usage = useObserved(conversation, (each) => each.usage);
  const agents = useObserved(conversation, (each) => each.agents);
  useObservable(models);
  const { state, problem } = models;
  const { id, choose } = useModel(workbench);
  // A model that was chosen from a provider's own list, or is gone.
  const unlisted =
    id !== undefined && !state?.models.some((each) => each.id === id)
      ? [{ id, label: id, description: undefined }]
      : [];
  return (
    <div className="conversation-head">
      <ConversationsButton workbench={workbench} onFind={onFind} />
      <h2 className="conversation-title" title={title}>
        {title || "New conversation"}
      </h2>
      <Button className="button quiet" onPress={() => onFind("")}>
        Find
      </Button>
      {usage.input + usage.output > 0 && <Usage usage={usage} isTotal />}
      {agents && (
        <span className="head-agent small" title="Calls tools and reads what you write, in place of a model">
          <span className="soft">Agent:</span> {agents.join(", ") || "none connected"}
        </span>
      )}
      {state && !agents && (
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
      )}
      {!agents && (
        <>
          <ModelsButton workbench={workbench} isWanted={state !== undefined && id === undefined} />
          <SettingsButton conversation={conversation} />
        </>
      )}
      {problem !== undefined && (
        <p className="problem small head-problem" role="status">
          {problem}
        </p>
      )}
    </div>
  );
});
