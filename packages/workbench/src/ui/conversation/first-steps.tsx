/**
 * The empty conversation: apps that can be opened with one click.
 *
 * @module
 */
import { Button } from "react-aria-components";
import type { ShownServer } from "../../model/servers.js";
import type { Workbench } from "../../model/workbench.js";
import { directInput } from "../form/direct-input.js";
import { type ToolFacts, toolFacts } from "../servers/tool-facts.js";
import { useObservable } from "../use-observable.js";
import { answeringModel } from "./answering-model.js";

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
  const { state } = workbench.models;
  const model = answeringModel(state);
  const steps = workbench.servers.list.flatMap(stepOf).slice(0, MOST);
  return (
    <div className="empty">
      <h2>Nothing has been called yet</h2>
      <p>
        Choose a tool of a server, and run it. Tools marked <span className="badge accent">UI</span> show an
        app here.
      </p>
      {state && (
        <p>
          {model
            ? `Or write below what you want: ${model} answers, and calls tools for it.`
            : "Or type / below, and the name of a tool. With a model, you can simply write what you want."}
        </p>
      )}
      {steps.length > 0 && (
        <div className="first-steps">
          {steps.map(({ server, facts, input }) => (
            <Button
              key={server}
              className="button"
              onPress={() => workbench.conversation.call(server, facts.tool.name, input, true)}
            >
              Try “{facts.title}”
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
