/**
 * Tools of a server with their schemas, called directly: without the conversation and without an app.
 *
 * @module
 */
import type { RJSFSchema } from "@rjsf/utils";
import { type CallToolResult, isVisibleTo, type Progress, type Tool } from "@vitrine/protocol";
import { useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { readResult, toolTitle } from "../../model/app/foreign.js";
import { messageOf } from "../../model/messages/messages.js";
import { outputFit } from "../../model/server/output-fit.js";
import type { MadeRequest } from "../../model/server/request-log.js";
import { notedTools } from "../../model/server/schema-notes.js";
import { Result } from "../conversation/result.js";
import { Fold } from "../fold.js";
import "../form/form.css";
import { checkValue } from "../form/check-value.js";
import { ToolForm } from "../form/tool-form.js";
import { SearchBox } from "../inspector/fields.js";
import { count, duration } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { Boundary } from "../shell/boundary.js";
import { ListPages } from "./list-pages.js";
import { SchemaNotes } from "./schema-notes.js";
import { ServerIcon } from "./server-icon.js";
import type { ServerTabProps } from "./server-inspector.js";
import { hasModernTasks } from "./tasks.js";

/** The list. */
export function ToolsTab(props: ServerTabProps) {
  const tools = props.shown.catalogue?.tools ?? [];
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<string>();
  const { sentTools } = props.shown;
  // The catalogue's tools no longer have the faults that notes are about.
  const sent = useMemo(() => notedTools(sentTools ?? []), [sentTools]);
  if (tools.length === 0) return <p className="in-none soft">It offers no tools.</p>;
  const wanted = search.trim().toLowerCase();
  const found = tools.filter((tool) =>
    [tool.name, toolTitle(tool), tool.description].join("\n").toLowerCase().includes(wanted),
  );
  return (
    <div className="in-scroll">
      <SearchBox label="Search tools" value={search} onChange={setSearch} />
      <ListPages inspected={props.inspected} list="tools" />
      <ul className="in-cards" aria-label="Tools of the server">
        {found.map((tool) => (
          <li key={tool.name}>
            <section className="in-section" aria-label={toolTitle(tool)}>
              <h3 className="si-title">
                <ServerIcon inspected={props.inspected} icons={tool.icons} />
                {toolTitle(tool)}
              </h3>
              <p className="soft small si-row">
                <span className="mono">{tool.name}</span> <Hints tool={tool} />
              </p>
              {tool.description && <p className="description">{tool.description}</p>}
              <SchemaNotes tool={sent.get(tool.name) ?? tool} />
              {open === tool.name ? (
                <OpenTool {...props} tool={tool} />
              ) : (
                <Button
                  className="button"
                  aria-label={`Open ${toolTitle(tool)}`}
                  onPress={() => setOpen(tool.name)}
                >
                  Open
                </Button>
              )}
            </section>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Hints({ tool: { annotations = {}, execution, outputSchema } }: { tool: Tool }) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const hints = [
    readOnlyHint && "read-only",
    destructiveHint && "destructive",
    idempotentHint && "idempotent",
    openWorldHint && "open world",
    outputSchema && "output schema",
    execution?.taskSupport && execution.taskSupport !== "forbidden" && `task ${execution.taskSupport}`,
  ].filter((hint) => typeof hint === "string");
  return hints.map((hint) => (
    <span key={hint} className="badge">
      {hint}
    </span>
  ));
}

function OpenTool({ tool, ...props }: ServerTabProps & { tool: Tool }) {
  const { inspected, shown, workbench } = props;
  const { name, inputSchema, outputSchema, annotations, execution } = tool;
  const [made, setMade] = useState<MadeRequest>();
  const [progress, setProgress] = useState<readonly Progress[]>();
  const [said, setSaid] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const { capabilities } = shown.summary;
  // From revision 2026-07-28 on, the server decides.
  const isModern = hasModernTasks(capabilities);
  const support = capabilities.tasks
    ? (execution?.taskSupport ?? "forbidden")
    : isModern
      ? "optional"
      : "forbidden";
  const [atOnce, setAtOnce] = useState<CallToolResult>();
  const [isTask, setTask] = useState(support === "required");
  if (!isVisibleTo(tool, "model"))
    return <p className="problem small">Only apps of this server may call this tool.</p>;
  const run = async (input: Record<string, unknown>): Promise<void> => {
    setSaid(undefined);
    if (isTask) {
      try {
        setAtOnce(undefined);
        const started = await inspected.startTask(name, input);
        if ("taskId" in started && typeof started.taskId === "string") {
          setSaid(`Started as task ${started.taskId}: see the tab Tasks.`);
        } else {
          setSaid("The server answered at once, without a task.");
          setAtOnce(readResult(started));
        }
      } catch (error) {
        setSaid(messageOf(error));
      }
      return;
    }
    running.current?.abort();
    const mine = (running.current = new AbortController());
    setMade(undefined);
    setProgress([]);
    const onprogress = (step: Progress): void =>
      setProgress((before) => [...(before ?? []), step].slice(-50));
    const next = await inspected.call(name, input, { signal: mine.signal, onprogress });
    if (running.current !== mine) return;
    running.current = undefined;
    setMade(next);
  };
  const { outcome } = made ?? {};
  const isRunning = progress !== undefined && made === undefined;
  return (
    <>
      <Fold name="Schemas and annotations">
        <Json
          value={{ inputSchema, ...(outputSchema && { outputSchema }), ...(annotations && { annotations }) }}
          label={`Schemas of ${name}`}
          depth={3}
        />
      </Fold>
      {support === "optional" && (
        <label className="si-row">
          <input type="checkbox" checked={isTask} onChange={({ target }) => setTask(target.checked)} />{" "}
          {isModern ? "Let the server run it as a task" : "Run as a task"}
        </label>
      )}
      <Boundary name="The form of this tool">
        <ToolForm
          key={JSON.stringify(inputSchema)}
          server={workbench.servers.keyOf(shown.summary.name)}
          tool={tool}
          idPrefix={`inspected-${name}`}
          onRun={(input) => void run(input)}
        />
      </Boundary>
      <div role="status">
        {said !== undefined && <p>{said}</p>}
        {atOnce && <Result result={atOnce} />}
        {isRunning && (
          <p className="si-row">
            Running…
            <Button className="button quiet" onPress={() => running.current?.abort()}>
              Cancel
            </Button>
          </p>
        )}
        {progress && progress.length > 0 && (
          <p className="soft small">
            Progress:{" "}
            {progress
              .map((step) =>
                [`${step.progress}${step.total === undefined ? "" : `/${step.total}`}`, step.message]
                  .filter(Boolean)
                  .join(" "),
              )
              .join(", ")}
          </p>
        )}
        {outcome && (
          <p className="soft small">
            {duration(outcome.duration)}, {count(outcome.size)} characters
          </p>
        )}
        {outcome?.problem !== undefined && <p className="problem">{outcome.problem}</p>}
        {outcome?.result !== undefined && (
          <>
            <Fit tool={tool} result={outcome.result} />
            <Result result={readResult(outcome.result)} />
          </>
        )}
      </div>
    </>
  );
}

function Fit({ tool, result }: { tool: Tool; result: unknown }) {
  const fit = outputFit(tool, readResult(result), (schema, value) => checkValue(schema as RJSFSchema, value));
  if (!fit) return null;
  if (fit.fits) return <p className="badge good">The result fits the output schema</p>;
  return (
    <div className="problem small">
      <p>The result does not fit the output schema:</p>
      <ul>
        {fit.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}
