/**
 * The empty conversation: apps that can be opened with one click.
 *
 * @module
 */
import { Button } from "react-aria-components";
import type { ShownServer } from "../../model/servers.js";
import type { Workbench } from "../../model/workbench.js";
import { directInput } from "../form/direct-input.js";
import { ModelsButton } from "../models/models-button.js";
import { part } from "../part.js";
import { type ToolFacts, toolFacts } from "../servers/tool-facts.js";
import { AddButton } from "../setup/add-button.js";
import { Logo } from "../shell/logo.js";
import { useObservable } from "../use-observable.js";
import { answeringModel } from "./answering-model.js";

/** Loaded with the first server that is added: most visits have none. */
const NewServers = part(
  "The list of new servers",
  async () => (await import("../setup/new-servers.js")).NewServers,
);

/** Maximum number, one per server. */
const MOST = 3;

interface Step {
  server: string;
  facts: ToolFacts;
  input: Record<string, unknown>;
}

/** The first app of a server that needs no arguments and changes nothing. */
function stepOf({ summary, catalogue }: ShownServer): Step[] {
  for (const facts of catalogue ? toolFacts(catalogue) : []) {
    const { hasUi, uiProblem, isCallable, tool } = facts;
    if (!hasUi || uiProblem !== undefined || !isCallable || !tool.annotations?.readOnlyHint) continue;
    const input = directInput(tool);
    if (input) return [{ server: summary.name, facts, input }];
  }
  return [];
}

/** Suggestions for the first step. */
export function FirstSteps({ workbench }: { workbench: Workbench }) {
  useObservable(workbench.servers);
  useObservable(workbench.models);
  useObservable(workbench.setup);
  const { state } = workbench.models;
  const model = answeringModel(state);
  const isNew = ({ summary }: ShownServer): boolean => workbench.setup.isNew(summary.name);
  const added = workbench.servers.list.filter(isNew).reverse();
  const others = workbench.servers.list.filter((each) => !isNew(each));
  const steps = [...added, ...others].flatMap(stepOf).slice(0, MOST);
  return (
    <div className="empty start">
      <Logo size={44} />
      <h2>What would you like to do?</h2>
      {state && (
        <p>
          {model
            ? `Write below: ${model} answers, and opens apps for it.`
            : "Open an app, or choose a model and write what you want."}
        </p>
      )}
      {steps.length > 0 && (
        <div className="start-apps">
          {steps.map(({ server, facts, input }) => (
            <Button
              key={server}
              className="button start-app"
              onPress={() => workbench.conversation.call(server, facts.tool.name, input, true)}
            >
              <span className="start-title">{facts.title}</span>{" "}
              {facts.tool.description && <span className="soft small">{facts.tool.description}</span>}
            </Button>
          ))}
        </div>
      )}
      {added.length > 0 && <NewServers servers={added} hasModel={model !== undefined} />}
      <div className="start-more">
        {state && !model && <ModelsButton workbench={workbench} isWanted={false} name="Choose a model" />}
        <AddButton workbench={workbench} />
      </div>
    </div>
  );
}
