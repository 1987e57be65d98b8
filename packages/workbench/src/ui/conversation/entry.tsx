/**
 * An entry of the conversation, of any kind.
 *
 * @module
 */
import { memo } from "react";
import { Button } from "react-aria-components";
import type { Item } from "../../model/conversation/conversation.js";
import type { Workbench } from "../../model/workbench.js";
import { Boundary } from "../shell/boundary.js";
import { useObserved } from "../use-observable.js";
import { CallCard } from "./call-card.js";
import { EntryActions } from "./entry-actions.js";
import { ModelCard } from "./model-card.js";
import { NoteCard } from "./note-card.js";
import type { PinPlace } from "./pin-places.js";
import { UserCard } from "./user-card.js";

/** Props of an {@link Entry}. */
export interface EntryProps {
  workbench: Workbench;
  item: Item;
  /** The place of a pinned app. */
  place?: PinPlace | undefined;
}

/**
 * An entry with its own error boundary. It renders only when it changes, so that others stay while a model
 * writes.
 */
export const Entry = memo(({ workbench, item, place }: EntryProps) => {
  const { conversation } = workbench;
  const agents = useObserved(conversation, (each) => each.agents);
  // Nothing can be asked about an entry of a recording.
  const actions =
    item.kind === "call" || item.kind === "note" || conversation.isOwn(item) ? undefined : (
      <EntryActions conversation={conversation} item={item} />
    );
  const remove = (): void => void conversation.remove(item);
  return (
    <Boundary
      name={nameOf(item)}
      actions={
        <Button className="button" onPress={remove}>
          Remove
        </Button>
      }
    >
      {item.kind === "call" && <CallCard workbench={workbench} call={item} place={place} />}
      {item.kind === "user" && (
        <UserCard item={item} agent={agents && (agents.join(", ") || "The agent")} actions={actions} />
      )}
      {item.kind === "model" && <ModelCard item={item} actions={actions} />}
      {item.kind === "note" && <NoteCard item={item} onRemove={remove} />}
    </Boundary>
  );
});

/** The name of an entry, to start a sentence. */
function nameOf(item: Item): string {
  if (item.kind === "call") return `The call of ${item.tool}`;
  if (item.kind === "user") return `What ${item.from?.title ?? "you"} said`;
  return item.kind === "model" ? `What ${item.model} said` : "A note";
}
