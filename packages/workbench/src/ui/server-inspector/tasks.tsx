/**
 * Tasks of a server, of both generations: their states, results, and a way back to one by its id.
 *
 * @module
 */
import type { CallToolResult } from "@vitrine/protocol";
import type { GatewayServerCapabilities, ServerTask } from "@vitrine/wire";
import { useEffect, useRef, useState } from "react";
import { Button, Input, Label, TextField } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { InspectedServer } from "../../model/server/inspected-server.js";
import { Result } from "../conversation/result.js";
import { useObservable } from "../use-observable.js";
import type { ServerTabProps } from "./server-inspector.js";

const TONES: Record<ServerTask["status"], string> = {
  working: "accent",
  input_required: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "",
};
/** Milliseconds between two questions for a state, if the server names none; and the shortest. */
const PAUSE = 2_000;
const SHORTEST = 250;

const isOver = ({ status }: ServerTask): boolean => /^(completed|failed|cancelled)$/.test(status);

/** Whether the server offers tasks of revision 2026-07-28. */
export const hasModernTasks = ({ extensions }: GatewayServerCapabilities): boolean =>
  extensions?.["io.modelcontextprotocol/tasks"] !== undefined;

/** The list. */
export function TasksTab({ inspected, shown }: ServerTabProps) {
  useObservable(inspected);
  const [id, setId] = useState("");
  const [problem, setProblem] = useState<string>();
  const act = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const canList = shown.summary.capabilities.tasks?.list !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per server.
  useEffect(() => {
    if (canList) void act(inspected.listTasks());
  }, [inspected]);
  return (
    <div className="in-scroll">
      <div className="si-row">
        <TextField className="in-field si-grow" value={id} onChange={setId}>
          <Label className="soft small">Resume a task by its id</Label>
          <Input className="input" />
        </TextField>
        <Button
          className="button"
          isDisabled={id.trim() === ""}
          onPress={() => void act(inspected.task(id.trim()).then(() => setId("")))}
        >
          Resume
        </Button>
        {canList && (
          <Button className="button" onPress={() => void act(inspected.listTasks())}>
            List again
          </Button>
        )}
      </div>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {inspected.tasks.length === 0 && (
        <p className="in-none soft">No tasks. Run a tool as a task in the tab Tools.</p>
      )}
      <ul className="in-cards" aria-label="Tasks">
        {inspected.tasks.map((task) => (
          <li key={task.taskId}>
            <Task inspected={inspected} task={task} onAct={act} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Task({
  inspected,
  task,
  onAct,
}: {
  inspected: InspectedServer;
  task: ServerTask;
  onAct: (work: Promise<unknown>) => Promise<void>;
}) {
  const { taskId, status, statusMessage, pollInterval = PAUSE } = task;
  const [result, setResult] = useState<CallToolResult>();
  const [isWaiting, setWaiting] = useState(false);
  const waiting = useRef<AbortController>(undefined);
  const isEnded = isOver(task);
  useEffect(() => {
    if (isEnded) return undefined;
    const timer = setInterval(
      () => void inspected.task(taskId).catch(() => {}),
      Math.max(SHORTEST, pollInterval),
    );
    return () => clearInterval(timer);
  }, [inspected, taskId, isEnded, pollInterval]);
  useEffect(() => () => waiting.current?.abort(), []);
  const wait = async (): Promise<void> => {
    const mine = (waiting.current = new AbortController());
    setWaiting(true);
    await onAct(inspected.taskResult(taskId, mine.signal).then(setResult));
    setWaiting(false);
  };
  return (
    <section className="in-section" aria-label={`Task ${taskId}`}>
      <p className="si-row" role="status">
        <span className={`badge ${TONES[status]}`}>{status.replace("_", " ")}</span>
        <span className="mono small si-grow">{taskId}</span>
      </p>
      {statusMessage && <p className="soft small">{statusMessage}</p>}
      {status === "input_required" && (
        <p className="small">It needs input: wait for its result, and it asks its questions in this page.</p>
      )}
      <div className="si-row">
        {status !== "cancelled" && (
          <Button className="button" isDisabled={isWaiting} onPress={() => void wait()}>
            {isWaiting ? "Waiting…" : isEnded ? "Get the result" : "Wait for the result"}
          </Button>
        )}
        {!isEnded && (
          <Button className="button quiet" onPress={() => void onAct(inspected.cancelTask(taskId))}>
            Cancel the task
          </Button>
        )}
      </div>
      {result && <Result result={result} />}
    </section>
  );
}
