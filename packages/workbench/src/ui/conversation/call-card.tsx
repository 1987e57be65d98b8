/**
 * A call in the conversation: its arguments, state and result.
 *
 * @module
 */
import { Pin, PinOff, PowerOff, RotateCw, X } from "lucide-react";
import { useState } from "react";
import { Button, Heading } from "react-aria-components";
import type { PageCall } from "../../model/app/call-item.js";
import { toolTitle } from "../../model/app/foreign.js";
import type { Workbench } from "../../model/workbench.js";
import { Fold } from "../fold.js";
import { IconButton } from "../icon-button.js";
import { Diagnosis } from "../inspector/diagnosis.js";
import { Json } from "../inspector/json.js";
import { useNow } from "../shell/use-now.js";
import { useObservable, useObserved } from "../use-observable.js";
import { AppSlot } from "./app-slot.js";
import { CallProgress } from "./call-progress.js";
import { ModeButtons } from "./mode-buttons.js";
import type { PinPlace } from "./pin-places.js";
import { Result } from "./result.js";

/** Props of a {@link CallCard}. */
export interface CallCardProps {
  workbench: Workbench;
  call: PageCall;
  /** Its place beside the conversation, if its app is pinned there. */
  place?: PinPlace | undefined;
}

/** A call. */
export function CallCard({ workbench, call, place }: CallCardProps) {
  useObservable(call);
  useObservable(call.app ?? call);
  // The known tools decide what can be run again.
  useObservable(workbench.servers);
  const { conversation } = workbench;
  const { app, result, problem, state } = call;
  const isAsked = useObserved(workbench, (each) => each.isAskedAbout(call));
  const isSelected = useObserved(workbench, ({ selected }) => app !== undefined && selected === app);
  // A static document shows nothing of the answer.
  const isStatic = app?.source.place?.static === true;
  const isBare = !app || app.state === "failed" || isStatic || (result?.isError ?? false);
  const hasInput = Object.keys(call.input).length > 0;
  return (
    <>
      {place && <p className="soft small">{titleOf(workbench, call)} is pinned beside the conversation.</p>}
      <article
        className="card"
        aria-labelledby={`call-${call.id}`}
        style={place}
        data-pinned={place && true}
        data-selected={isSelected || undefined}
        data-app={(app && !isBare) || undefined}
      >
        <header className="card-head">
          <Heading level={3} id={`call-${call.id}`} className="card-title">
            {titleOf(workbench, call)}
          </Heading>
          <CallButtons workbench={workbench} call={call} />
          <CallFacts call={call} isAsked={isAsked} />
        </header>
        {call.isInputCut && (
          <p className="soft">
            Secret arguments are not kept across a reload: to run it again, fill in its form.
          </p>
        )}
        {state === "running" && <CallProgress call={call} isAsked={isAsked} />}
        {problem !== undefined && (
          <p className="problem" role="status">
            {problem}
          </p>
        )}
        {call.permissions.length > 0 && (
          <p role="status">
            Its app waits for your answer: it wants to use {call.permissions.join(", ")}. The question is in
            the corner of this page.
          </p>
        )}
        {app && call.note !== undefined && (
          <p className="soft" role="status">
            {call.note}
          </p>
        )}
        {app && <AppSlot workbench={workbench} app={app} />}
        {/* Below the app, which stays where it is when this is gone. */}
        {state === "writing" && <WrittenInput text={call.inputText ?? ""} />}
        {app && <Diagnosis app={app} />}
        {/* Without an app, and where something failed, the answer itself; else folded below the app. */}
        {result && isBare && <Result result={result} />}
        {(hasInput || (result && !isBare)) && (
          <div className="call-details">
            {hasInput && (
              <Fold name="Arguments">
                <Json value={call.input} label="Arguments" />
              </Fold>
            )}
            {result && !isBare && (
              <Fold name="Result">
                <Result result={result} />
              </Fold>
            )}
          </div>
        )}
        {call.isResultLost && <p className="soft">Its result was too large to be stored.</p>}
        {state === "done" && !result && !call.isResultLost && !app && (
          <p className="soft">
            Its app is closed.{" "}
            <Button className="button quiet" onPress={() => void conversation.remove(call)}>
              Remove
            </Button>
          </p>
        )}
      </article>
    </>
  );
}

/** The tool's title, if its server is known. An app's own tools have none. */
function titleOf({ servers }: Workbench, { server, tool, appOf }: PageCall): string {
  const known = appOf ? undefined : servers.tool(server, tool);
  return known ? toolTitle(known) : tool;
}

/** Maximum shown characters of arguments that are being written: the newest. */
const WRITTEN = 600;

/** The arguments while the model writes them, a few characters at a time: they are not announced. */
function WrittenInput({ text }: { text: string }) {
  return (
    <div className="written" aria-live="off">
      <p className="soft small">The model writes its arguments:</p>
      <pre>{text.length > WRITTEN ? `…${text.slice(-WRITTEN)}` : text}</pre>
    </div>
  );
}

function CallFacts({ call, isAsked }: { call: PageCall; isAsked: boolean }) {
  const { app, state, at, endedAt, by, agent, appOf } = call;
  // A failure is shown in red once: its message below, or else the badge. The frame of a failed app has no red.
  const isExplained = call.problem !== undefined || (call.result?.isError ?? false);
  const failed = isExplained ? "" : "bad";
  const now = useNow(!call.isOver, 1000);
  const [kind, word] = {
    writing: ["accent", "being written"],
    running: ["", "running"],
    done: ["good", "done"],
    failed: [app?.state === "failed" ? "" : failed, "failed"],
    cancelled: ["warn", "cancelled"],
  }[state] as [string, string];
  return (
    // Spaces separate the words for screen readers: the row itself draws none.
    <span className="facts small soft">
      {/* An app that is shown needs no badge; a screen reader says it. */}
      <span className={state === "done" && app ? "visually-hidden" : `badge ${kind}`}>{word}</span>{" "}
      {app?.source.isRecording && <span className="badge warn">recording</span>}{" "}
      <span className="badge inspect-only">by {agent ?? (by === "model" ? "the model" : "you")}</span>{" "}
      {app?.state === "failed" && <span className={`badge ${failed}`}>app failed</span>}{" "}
      {app?.source.place?.static && <span className="badge">static document</span>}{" "}
      {(isAsked || (app?.questions ?? call.permissions.length) > 0) && (
        <span className="badge warn">needs your answer</span>
      )}{" "}
      <span className="inspect-only">{duration((call.isOver ? (endedAt ?? at) : now) - at)}</span>
      <time className="inspect-only" dateTime={new Date(at).toISOString()}>
        {new Date(at).toLocaleTimeString()}
      </time>
      <span className="mono inspect-only">
        {call.server} · {call.tool}
      </span>
      {appOf && <span>in the app {appOf.title}</span>}
    </span>
  );
}

const duration = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${Math.max(0, Math.round(milliseconds))} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;

function CallButtons({ workbench, call }: { workbench: Workbench; call: PageCall }) {
  const { conversation, servers } = workbench;
  const [isClosing, setClosing] = useState(false);
  const { app, server, tool, input } = call;
  const views = servers.get(server)?.catalogue?.views;
  // Tools of an app can only be called by the model.
  const canRun = !call.isInputCut && !call.appOf && servers.tool(server, tool) !== undefined;
  const end = async (act: Promise<void>): Promise<void> => {
    setClosing(true);
    await act;
    setClosing(false);
  };
  return (
    <span className="card-buttons">
      {!call.isOver && (
        <Button className="button" onPress={() => call.cancel()}>
          Cancel
        </Button>
      )}
      {canRun && call.isOver && (
        <IconButton
          icon={RotateCw}
          name={`Run again: ${tool}`}
          tip="Run again"
          onPress={() =>
            conversation.call(server, tool, input, views?.some((view) => view.tool === tool) ?? false)
          }
        />
      )}
      {app && (
        <IconButton
          icon={call.isPinned ? PinOff : Pin}
          name={call.isPinned ? `Unpin: ${tool}` : `Pin: ${tool}`}
          tip={call.isPinned ? "Back into the conversation" : "Pin beside the conversation"}
          onPress={() => conversation.pin(call, !call.isPinned)}
        />
      )}
      {app && <ModeButtons app={app} name={tool} />}
      {app && (
        <IconButton
          icon={PowerOff}
          name={`Close app: ${tool}`}
          tip="Close the app"
          isDisabled={isClosing}
          onPress={() => void end(conversation.closeApp(call))}
        />
      )}
      <IconButton
        icon={X}
        name={`Remove ${tool} from the conversation`}
        tip="Remove"
        isDisabled={isClosing}
        onPress={() => void end(conversation.remove(call))}
      />
    </span>
  );
}
