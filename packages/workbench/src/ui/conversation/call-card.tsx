/**
 * A call in the conversation: its arguments, state and result.
 *
 * @module
 */
import { Pin, PinOff, PowerOff, RefreshCw, RotateCw, X } from "lucide-react";
import { useState } from "react";
import { Button, Heading } from "react-aria-components";
import type { PageCall } from "../../model/app/call-item.js";
import { toolTitle } from "../../model/app/foreign.js";
import type { Workbench } from "../../model/workbench.js";
import { Fold } from "../fold.js";
import { IconButton } from "../icon-button.js";
import { Diagnosis } from "../inspector/diagnosis.js";
import { Json } from "../inspector/json.js";
import { useObservable, useObserved } from "../use-observable.js";
import { AppSlot } from "./app-slot.js";
import { CallFacts } from "./call-facts.js";
import { CallProgress } from "./call-progress.js";
import { ModeButtons } from "./mode-buttons.js";
import type { PinPlace } from "./pin-places.js";
import { PinnedRow } from "./pinned-row.js";
import { Result } from "./result.js";

/** Props of a {@link CallCard}. */
export interface CallCardProps {
  workbench: Workbench;
  call: PageCall;
  /** Its place beside the conversation, if its app is pinned there. */
  place?: PinPlace | undefined;
}

/** A call; only a row, if a pinned app shows it. */
export function CallCard(props: CallCardProps) {
  const { workbench, call } = props;
  useObservable(call);
  const pin = useObserved(workbench.conversation, (each) => each.pinOf(call));
  if (!pin) return <WholeCard {...props} />;
  return <PinnedRow workbench={workbench} call={call} pin={pin} title={titleOf(workbench, call)} />;
}

function WholeCard({ workbench, call, place }: CallCardProps) {
  useObservable(call);
  useObservable(call.app ?? call);
  // The known tools decide what can be run again.
  useObservable(workbench.servers);
  const { conversation } = workbench;
  // A later call, if it updated the app.
  const shown = useObserved(conversation, (each) => each.shownIn(call));
  const { app, problem, state } = call;
  const { input, result } = shown;
  const isAsked = useObserved(workbench, (each) => each.isAskedAbout(call));
  const isSelected = useObserved(workbench, ({ selected }) => app !== undefined && selected === app);
  // A static document shows nothing of the answer.
  const isStatic = app?.source.place?.static === true;
  const isBare = !app || app.state === "failed" || isStatic || (result?.isError ?? false);
  const hasInput = Object.keys(input).length > 0;
  return (
    <>
      {place && <p className="soft small">{titleOf(workbench, call)} is pinned beside the conversation.</p>}
      <article
        className="card"
        aria-labelledby={`call-${call.id}`}
        // Rows of other calls lead to it.
        tabIndex={call.isPinned ? -1 : undefined}
        style={place}
        data-pinned={place && true}
        data-selected={isSelected || undefined}
        data-app={(app && !isBare) || undefined}
      >
        <header className="card-head">
          <Heading level={3} id={`call-${call.id}`} className="card-title">
            {titleOf(workbench, call)}
          </Heading>
          <CallButtons workbench={workbench} call={call} shown={shown} />
          <CallFacts call={shown} app={app} isAsked={isAsked} />
        </header>
        {shown.isInputCut && (
          <p className="soft">
            Secret arguments are not kept across a reload: to run it again, fill in its form.
          </p>
        )}
        {state === "running" && <CallProgress workbench={workbench} call={call} isAsked={isAsked} />}
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
        {app && <AppSlot workbench={workbench} app={app} isPinned={call.isPinned} />}
        {/* Below the app, which stays where it is when this is gone. */}
        {state === "writing" && <WrittenInput text={call.inputText ?? ""} />}
        {app && <Diagnosis app={app} />}
        {/* Without an app, and where something failed, the answer itself; else folded below the app. */}
        {result && isBare && <Result result={result} />}
        {(hasInput || (result && !isBare)) && (
          <div className="call-details">
            {hasInput && (
              <Fold name="Arguments">
                <Json value={input} label="Arguments" />
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

interface CallButtonsProps extends Pick<CallCardProps, "workbench" | "call"> {
  /** The call that its app shows: a later one, if that updated it. */
  shown: PageCall;
}

function CallButtons({ workbench, call, shown }: CallButtonsProps) {
  const { conversation, servers } = workbench;
  const [isClosing, setClosing] = useState(false);
  const { app, server, tool } = call;
  const views = servers.get(server)?.catalogue?.views;
  // Tools of an app can only be called by the model.
  const canRun = !shown.isInputCut && !call.appOf && servers.tool(server, tool) !== undefined;
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
            conversation.call(server, tool, shown.input, views?.some((view) => view.tool === tool) ?? false)
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
      {app && call.isPinned && call.identity !== undefined && !call.appOf && (
        <IconButton
          icon={RefreshCw}
          className="button quiet icon toggle"
          name={`Update with new calls: ${tool}`}
          tip="Update with new calls"
          aria-pressed={call.isFollowing}
          onPress={() => conversation.follow(call, !call.isFollowing)}
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
