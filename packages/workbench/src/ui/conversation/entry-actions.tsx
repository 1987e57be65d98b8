/**
 * Actions of a message or an answer: versions, edit, regenerate, copy, and more in a menu.
 *
 * @module
 */
import type { ModelItem, UserItem } from "@vitrine/wire";
import { ChevronLeft, ChevronRight, Ellipsis, Pencil, RefreshCw } from "lucide-react";
import { Button } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { textOf } from "../../model/messages/messages.js";
import { CopyButton } from "../copy-button.js";
import { IconButton } from "../icon-button.js";
import { MenuButton } from "../menu-button.js";
import { useObserved } from "../use-observable.js";

const MORE = [
  { id: "branch", label: "Continue in a new conversation" },
  { id: "delete", label: "Delete" },
];

/** Props of {@link EntryActions}. */
export interface EntryActionsProps {
  conversation: PageConversation;
  item: UserItem | ModelItem;
}

/** A row of buttons below an entry. */
export function EntryActions({ conversation, item }: EntryActionsProps) {
  // Entries that arrive belong to the version that is shown.
  const isBusy = useObserved(conversation, (each) => each.isRunning);
  const hasAgents = useObserved(conversation, (each) => each.agents !== undefined);
  const editable = item.kind === "user" && !hasAgents ? conversation.editableMessage(item) : undefined;
  const text = item.kind === "user" ? textOf({ content: item.content }) : wholeText(item);
  const hasFailed = item.kind === "model" && (item.state !== "done" || item.problem !== undefined);
  const failedEdit = hasFailed ? conversation.editable(item) : undefined;
  return (
    <div className="answer-actions">
      <Versions conversation={conversation} item={item} isBusy={isBusy} />
      {hasFailed && item.answers !== undefined && (
        <Button className="button" isDisabled={isBusy} onPress={() => void conversation.retry(item)}>
          Retry
        </Button>
      )}
      {failedEdit && (
        <IconButton
          icon={Pencil}
          name="Edit the message"
          isDisabled={isBusy}
          onPress={() => conversation.edit(failedEdit)}
        />
      )}
      {editable && (
        <IconButton
          icon={Pencil}
          name="Edit this message"
          isDisabled={isBusy}
          onPress={() => conversation.edit(editable)}
        />
      )}
      {item.kind === "model" && !hasFailed && !hasAgents && item.answers !== undefined && (
        <IconButton
          icon={RefreshCw}
          name="Regenerate"
          isDisabled={isBusy}
          onPress={() => void conversation.regenerate(item)}
        />
      )}
      {text !== "" && (
        <CopyButton text={text} label={item.kind === "model" ? "Copy the answer" : "Copy the message"} />
      )}
      <MenuButton
        name="More about this entry"
        entries={MORE}
        onAction={(id) => (id === "branch" ? void conversation.branch(item) : conversation.delete(item))}
      >
        <Ellipsis />
      </MenuButton>
    </div>
  );
}

const wholeText = ({ text, problem }: ModelItem): string =>
  [text, problem && `${problem.message} (${problem.code})`].filter(Boolean).join("\n\n");

/** Switches between the versions from this entry on. */
function Versions({ conversation, item, isBusy }: EntryActionsProps & { isBusy: boolean }) {
  const found = useObserved(conversation, (each) => each.alternativesAt(item));
  if (!found) return null;
  const { versions, shown } = found;
  const show = (at: number): void => void conversation.showVersion(versions[at]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of two buttons.
    <span className="versions" role="group" aria-label="Versions">
      <Button
        className="button quiet icon"
        aria-label="Previous version"
        isDisabled={isBusy || shown === 0}
        onPress={() => show(shown - 1)}
      >
        <ChevronLeft />
      </Button>
      <span className="small">
        {shown + 1}/{versions.length}
      </span>
      <Button
        className="button quiet icon"
        aria-label="Next version"
        isDisabled={isBusy || shown === versions.length - 1}
        onPress={() => show(shown + 1)}
      >
        <ChevronRight />
      </Button>
    </span>
  );
}
