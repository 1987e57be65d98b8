/**
 * Header of the conversation: title, model and usage.
 *
 * @module
 */
import { memo } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { count } from "../inspector/format.js";
import { useObservable, useObserved } from "../use-observable.js";
import { ConversationsButton } from "./conversations-button.js";
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
  const { input, output } = useObserved(conversation, ({ usage }) => usage);
  const agents = useObserved(conversation, (each) => each.agents);
  useObservable(models);
  const { state, problem } = models;
  return (
    <div className="conversation-head">
      <ConversationsButton workbench={workbench} onFind={onFind} />
      <h2 className="conversation-title" title={title}>
        {title || "New conversation"}
      </h2>
      <Button className="button quiet" onPress={() => onFind("")}>
        Find
      </Button>
      {input + output > 0 && (
        <span className="soft small" title={`${count(input)} in, ${count(output)} out`}>
          {count(input + output)} tokens
        </span>
      )}
      {agents && (
        <span className="head-agent small" title="Calls tools and reads what you write, in place of a model">
          <span className="soft">Agent:</span> {agents.join(", ") || "none connected"}
        </span>
      )}
      {state && !agents && (
        <Choice
          label="The model that answers"
          options={[
            ...state.models.map(({ id, label, problem: description }) => ({ id, label, description })),
            {
              id: NONE,
              label: "No model: tools by hand",
              // Help text, if no model is available.
              description: state.models.length === 0 ? state.help : undefined,
            },
          ]}
          value={state.current ?? NONE}
          onChange={(id) => void models.choose(id === NONE ? undefined : id)}
        />
      )}
      {problem !== undefined && (
        <p className="problem small head-problem" role="status">
          {problem}
        </p>
      )}
    </div>
  );
});
