/**
 * What happened, in order.
 *
 * @module
 */
import { useCallback, useEffect, useRef } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Boundary } from "../shell/boundary.js";
import { useObservable } from "../use-observable.js";
import { CallCard } from "./call-card.js";
import { ClearButton } from "./clear-button.js";
import "./conversation.css";
import { FirstSteps } from "./first-steps.js";
import { MessageCard } from "./message-card.js";
import { useNewest } from "./use-newest.js";

/** The middle pane. */
export function ConversationPane({ workbench }: { workbench: Workbench }) {
  const { conversation, servers } = workbench;
  useObservable(conversation);
  useObservable(workbench);
  // Which tools there are decides what can be run again.
  useObservable(servers);
  const list = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  // A question stays in view, above its app, whatever follows below.
  const isHeld = useCallback(() => workbench.isAsking, [workbench]);
  const { isAtEnd, toEnd } = useNewest(list, inner, isHeld);
  const { items } = conversation;
  const calls = items.filter(({ kind }) => kind === "call").length;
  const before = useRef(0);
  // Who calls a tool wants to see what comes of it; what an app says waits until one looks.
  useEffect(() => {
    if (calls > before.current) toEnd();
    before.current = calls;
  }, [calls, toEnd]);
  return (
    <div className="conversation">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className="conversation-list" ref={list} role="log" aria-label="Conversation" tabIndex={0}>
        <div className="conversation-inner" ref={inner}>
          {items.map((item) => (
            <Boundary
              key={item.id}
              name={item.kind === "call" ? `The call of ${item.tool}` : `What ${item.title} says`}
              actions={
                <Button className="button" onPress={() => void conversation.remove(item)}>
                  Remove
                </Button>
              }
            >
              {item.kind === "call" ? (
                <CallCard workbench={workbench} call={item} />
              ) : (
                <MessageCard message={item} />
              )}
            </Boundary>
          ))}
        </div>
        {items.length === 0 && (
          <Boundary name="What to do first">
            <FirstSteps workbench={workbench} />
          </Boundary>
        )}
      </div>
      {items.length > 0 && (
        <div className="conversation-foot">
          {!isAtEnd && (
            <Button className="button to-newest" onPress={toEnd}>
              ↓ Newest
            </Button>
          )}
          <ClearButton conversation={conversation} />
        </div>
      )}
    </div>
  );
}
