/**
 * The list of conversations: search, open, create.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { Button, Input, SearchField } from "react-aria-components";
import { useObservable } from "../use-observable.js";
import { ConversationRow } from "./conversation-row.js";
import type { ConversationsButtonProps } from "./conversations-button.js";

/** Milliseconds after typing before a search starts. */
const PAUSE = 200;

/** Props of a {@link ConversationList}. */
export interface ConversationListProps extends ConversationsButtonProps {
  /** Closes the list. */
  onDone: () => void;
}

/** The list, newest first. */
export function ConversationList({ workbench, onDone, onFind }: ConversationListProps) {
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
