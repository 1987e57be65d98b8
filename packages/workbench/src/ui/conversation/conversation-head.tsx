/**
 * Header of the conversation: its title, its usage and its settings.
 *
 * @module
 */
import { Search } from "lucide-react";
import { memo } from "react";
import type { Workbench } from "../../model/workbench.js";
import { IconButton } from "../icon-button.js";
import { ModelsButton } from "../models/models-button.js";
import { useModel } from "../models/use-model.js";
import { useObservable, useObserved } from "../use-observable.js";
import { ConversationsButton } from "./conversations-button.js";
import { SettingsButton } from "./settings-button.js";
import { Usage } from "./usage.js";
import "./head.css";

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
  const { id } = useModel(workbench);
  return (
    <div className="conversation-head">
      <ConversationsButton workbench={workbench} onFind={onFind} />
      <h2 className="conversation-title" title={title}>
        {title || "New conversation"}
      </h2>
      <IconButton
        icon={Search}
        className="button quiet icon find-button"
        name="Find"
        tip="Find in this conversation"
        onPress={() => onFind("")}
      />
      {usage.input + usage.output > 0 && <Usage usage={usage} isTotal />}
      {agents && (
        <span className="head-agent small" title="Calls tools and reads what you write, in place of a model">
          <span className="soft">Agent:</span> {agents.join(", ") || "none connected"}
        </span>
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
