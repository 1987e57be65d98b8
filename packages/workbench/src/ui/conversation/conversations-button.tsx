/**
 * The list of conversations: search, open, create.
 *
 * @module
 */
import { History } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, Dialog, DialogTrigger, Input, Popover, SearchField } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import { ConversationRow } from "./conversation-row.js";

/** Milliseconds after typing before a search starts. */
const PAUSE = 200;

/** Props of a {@link ConversationsButton}. */
export interface ConversationsButtonProps {
  workbench: Workbench;
  /** Finds the words of a search in the conversation that was opened. */
  onFind: (words: string) => void;
}

/** A button with the list in a popover. */
export function ConversationsButton({ workbench, onFind }: ConversationsButtonProps) {
  return (
    <DialogTrigger>
      <Button className="button quiet" aria-label="Conversations">
        <History />
        <span className="wide-only">Conversations</span>
      </Button>
      <Popover className="popover conversations-popover" placement="bottom start">
        <Dialog className="conversations" aria-label="Conversations">
          {({ close }) => <ConversationList workbench={workbench} onDone={close} onFind={onFind} />}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function ConversationList({ workbench, onDone, onFind }: ConversationsButtonProps & { onDone: () => void }) {
  const { conversation, conversations } = workbench;
  useObservable(conversation);
  useObservable(conversations);
  const [search, setSearch] = useState("");
  const [failed, setFailed] = useState<string>();
  // Opening the list resets the search and shows the current state.
  useEffect(() => {
    conversations.search = "";
    void conversations.load();
  }, [conversations]);
  useEffect(() => {
    const timer = setTimeout(() => (conversations.search = search.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [conversations, search]);
  const open = (id?: string, hasMatch = false): void => {
    if (hasMatch) onFind(search.trim());
    if (id === undefined || id !== conversation.id) void conversation.open(id);
    onDone();
  };
  const problem = failed ?? conversations.problem;
  const { list } = conversations;
  return (
    <>
      <div className="conversations-head">
        <SearchField className="search" aria-label="Search conversations" value={search} onChange={setSearch}>
          <Input className="input" placeholder="Search messages" />
        </SearchField>
        <Button className="button primary" onPress={() => open()}>
          New
        </Button>
      </div>
      {problem !== undefined && (
        <p className="problem small" role="status">
          {problem}
        </p>
      )}
      <ul className="conversations-list" aria-label="Conversations">
        {list.map((summary) => (
          <ConversationRow
            key={summary.id}
            workbench={workbench}
            summary={summary}
            isCurrent={summary.id === conversation.id}
            onProblem={setFailed}
            onOpen={() => open(summary.id, summary.match !== undefined)}
          />
        ))}
      </ul>
      {list.length === 0 && problem === undefined && (
        <p className="soft small" role="status">
          {search.trim() === ""
            ? "No conversations yet. A conversation is stored once it has a message or a call."
            : `No conversation has “${search.trim()}” in its title or messages.`}
        </p>
      )}
    </>
  );
}
