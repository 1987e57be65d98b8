/**
 * Lists the tools that an app offers, and calls them.
 *
 * @module
 */
import type { CallToolResult, Tool } from "@vitrine/protocol";
import { useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import { toolTitle } from "../../model/app/foreign.js";
import { messageOf } from "../../model/messages/messages.js";
import { Result } from "../conversation/result.js";
import { Fold } from "../fold.js";
import "../form/form.css";
import { part } from "../part.js";
import { Boundary } from "../shell/boundary.js";
import { useObservable } from "../use-observable.js";
import { Json } from "./json.js";

/** Loaded with its form, which is large. */
const ToolForm = part(
  "The form",
  async () => (await import("../form/tool-form.js")).ToolForm,
  <p className="soft">Loading…</p>,
);

/** The app's tools. The app is asked when this tab is first shown. */
export function AppToolsTab({ app }: { app: AppModel }) {
  const { toolList } = app;
  useObservable(toolList);
  const { tools, problem } = toolList;
  if (!tools || tools.length === 0)
    return (
      <p className="in-none soft">
        {problem !== undefined
          ? `The app's tools cannot be listed: ${problem}.`
          : tools
            ? "The app offers no tools. Those that it registers for the model are listed here, and can be called."
            : "Loading the tools of the app…"}
      </p>
    );
  return (
    <div className="in-scroll">
      <ul className="in-cards" aria-label="Tools of the app">
        {tools.map((tool) => (
          <li key={tool.name}>
            <AppTool app={app} tool={tool} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The outcome of the last call. */
type Outcome = { result: CallToolResult } | { problem: string };

function AppTool({ app, tool }: { app: AppModel; tool: Tool }) {
  const { name, description, annotations, inputSchema, outputSchema } = tool;
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  const run = async (input: Record<string, unknown>): Promise<void> => {
    // Only one call at a time, so that it is clear whose answer is shown.
    running.current?.abort();
    const mine = (running.current = new AbortController());
    setRunning(true);
    const next = await app.toolList.call(name, input, mine.signal).then(
      (result): Outcome => ({ result }),
      (error: unknown): Outcome => ({ problem: messageOf(error) }),
    );
    if (running.current !== mine) return;
    setOutcome(next);
    setRunning(false);
  };
  return (
    <section className="in-section" aria-label={toolTitle(tool)}>
      <h3>{toolTitle(tool)}</h3>
      <p className="soft small">
        <span className="mono">{name}</span>{" "}
        {annotations?.readOnlyHint && <span className="badge">read-only</span>}{" "}
        {annotations?.destructiveHint && <span className="badge warn">destructive</span>}
      </p>
      {description && <p className="description">{description}</p>}
      <Fold name="Schema">
        <Json value={outputSchema ? { inputSchema, outputSchema } : { inputSchema }} label="Schema" />
      </Fold>
      <Boundary name="The form of this tool">
        <ToolForm
          // A new schema needs a new form.
          key={JSON.stringify(inputSchema)}
          server={`${app.source.server} ${app.source.uri}`}
          tool={tool}
          idPrefix={`app-${name}`}
          onRun={(input) => void run(input)}
        />
      </Boundary>
      <div role="status">
        {isRunning && (
          <p className="soft">
            The app is working on it.{" "}
            <Button className="button quiet" onPress={() => running.current?.abort()}>
              Cancel
            </Button>
          </p>
        )}
        {!isRunning && outcome && "problem" in outcome && <p className="problem">{outcome.problem}</p>}
        {!isRunning && outcome && "result" in outcome && <Result result={outcome.result} />}
      </div>
    </section>
  );
}
