/**
 * A call whose result went to a pinned app: a row that leads to it.
 *
 * @module
 */
import { CornerUpRight, X } from "lucide-react";
import { Button, Heading } from "react-aria-components";
import type { PageCall } from "../../model/app/call-item.js";
import type { Workbench } from "../../model/workbench.js";
import { Fold } from "../fold.js";
import { IconButton } from "../icon-button.js";
import { Json } from "../inspector/json.js";
import { useObservable, useObserved } from "../use-observable.js";
import { CallFacts } from "./call-facts.js";
import { CallProgress } from "./call-progress.js";
import { Result } from "./result.js";

/** Props of a {@link PinnedRow}. */
export interface PinnedRowProps {
  workbench: Workbench;
  call: PageCall;
  /** The call whose app is pinned. */
  pin: PageCall;
  title: string;
}

/** The row. */
export function PinnedRow({ workbench, call, pin, title }: PinnedRowProps) {
  useObservable(call);
  useObservable(pin);
  const { conversation } = workbench;
  const { state, tool, input, result } = call;
  const isAsked = useObserved(workbench, (each) => each.isAskedAbout(call));
  return (
    <article className="card pinned-row" aria-labelledby={`call-${call.id}`}>
      <header className="card-head">
        <Heading level={3} id={`call-${call.id}`} className="card-title">
          {title}
        </Heading>
        <span className="soft small">{wordsOf(call, pin)}</span>
        <span className="card-buttons">
          {!call.isOver && (
            <Button className="button" onPress={() => call.cancel()}>
              Cancel
            </Button>
          )}
          <IconButton
            icon={CornerUpRight}
            name={`Go to the pinned app: ${tool}`}
            tip="Go to the pinned app"
            onPress={() => goTo(pin)}
          />
          <IconButton
            icon={X}
            name={`Remove ${tool} from the conversation`}
            tip="Remove"
            onPress={() => void conversation.remove(call)}
          />
        </span>
        <CallFacts call={call} app={undefined} isAsked={isAsked} />
      </header>
      {state === "running" && <CallProgress workbench={workbench} call={call} isAsked={isAsked} />}
      {(Object.keys(input).length > 0 || result) && (
        <div className="call-details">
          {Object.keys(input).length > 0 && (
            <Fold name="Arguments">
              <Json value={input} label="Arguments" />
            </Fold>
          )}
          {result && (
            <Fold name="Result">
              <Result result={result} />
            </Fold>
          )}
        </div>
      )}
    </article>
  );
}

function wordsOf(call: PageCall, pin: PageCall): string {
  if (!call.isOver) return "The pinned app will show it.";
  return pin.latest === call.id ? "The pinned app shows it." : "The pinned app shows a later call.";
}

/** Moves the focus to the pinned app's card, so that the keyboard continues there. */
function goTo(pin: PageCall): void {
  const card = document.getElementById(`call-${pin.id}`)?.closest<HTMLElement>("article");
  card?.scrollIntoView({ block: "nearest" });
  card?.focus({ preventScroll: true });
}
