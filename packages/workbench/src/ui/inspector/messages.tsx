/**
 * All messages between an app and this page.
 *
 * @module
 */
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { LoggedMessage } from "../../model/app/app-log.js";
import {
  type MessageCriteria,
  MessageFilter,
  type MessageSource,
  partnerOf,
} from "../../model/messages/message-filter.js";
import { Choice } from "../choice.js";
import { useObservable } from "../use-observable.js";
import { SearchBox } from "./fields.js";
import { count } from "./format.js";
import { MessageDetail } from "./message-detail.js";
import { MessageList } from "./message-list.js";

/** Kept, so that a filter survives switching tabs. */
const filters = new WeakMap<MessageSource, MessageFilter>();

function filterOf(log: MessageSource): MessageFilter {
  const filter = filters.get(log) ?? new MessageFilter(log);
  filters.set(log, filter);
  return filter;
}

const directions = (other: string) => [
  { id: "", label: "Both ways" },
  { id: "in", label: `← from ${other}` },
  { id: "out", label: `→ to ${other}` },
];
const KINDS = [
  { id: "", label: "All kinds" },
  { id: "request", label: "Requests" },
  { id: "result", label: "Results" },
  { id: "error", label: "Errors" },
  { id: "notification", label: "Notifications" },
];

/** A log of messages, such as an app's. */
export interface MessageLog extends MessageSource {
  /** Number of dropped messages. */
  readonly dropped: number;
  clear(): void;
}

/** Props of a {@link MessagesTab}. */
export interface MessagesTabProps {
  log: MessageLog;
  /** The other end of the messages. */
  other?: string;
  /** Text for an empty list. */
  empty?: string;
  /** The message that caused another one. */
  causeOf?: (message: LoggedMessage) => LoggedMessage | undefined;
  /** Shown below the selected message. */
  moreOf?: (message: LoggedMessage) => ReactNode;
  /** Saves the messages that the filter shows. */
  onSave?: (shown: readonly LoggedMessage[]) => void;
}

/** The messages, with a filter, a search, and the selected one. */
export function MessagesTab({
  log,
  other = "the app",
  empty = "No messages yet. Messages from and to the app are listed here.",
  causeOf,
  moreOf,
  onSave,
}: MessagesTabProps) {
  const filter = filterOf(log);
  useEffect(() => filter.connect(), [filter]);
  useObservable(filter);
  const [selected, select] = useState<LoggedMessage>();
  const set = useCallback(
    (change: MessageCriteria) => {
      filter.criteria = { ...filter.criteria, ...change };
    },
    [filter],
  );
  const setMethod = useCallback((method: string) => set({ method }), [set]);
  const setText = useCallback((text: string) => set({ text }), [set]);
  const { criteria, shown } = filter;
  const partner = selected && partnerOf(log.messages, selected);
  const jump = (to: LoggedMessage): void => {
    if (!shown.includes(to)) filter.criteria = {};
    select(to);
  };
  return (
    <div className="in-messages">
      <div className="in-filters">
        <Choice
          label="Direction"
          options={directions(other)}
          value={criteria.direction ?? ""}
          onChange={(id) => set({ direction: id === "in" || id === "out" ? id : undefined })}
        />
        <Choice
          label="Kind"
          options={KINDS}
          value={criteria.kind ?? ""}
          onChange={(id) => set({ kind: kindOf(id) })}
        />
        <SearchBox label="Method" value={criteria.method ?? ""} onChange={setMethod} />
        <SearchBox label="Search in JSON" value={criteria.text ?? ""} onChange={setText} />
      </div>
      <MessageList
        messages={shown}
        selected={selected}
        partner={partner}
        onSelect={select}
        empty={log.messages.length > 0 ? "No message matches." : empty}
      />
      <div className="in-foot soft small">
        <span aria-live="polite">
          {count(shown.length)} of {count(log.messages.length)}
          {log.dropped > 0 && `, ${count(log.dropped)} forgotten`}
          {filter.isSearching && `, searching ${Math.floor(filter.progress * 100)} %`}
        </span>
        {onSave && (
          <Button className="button quiet" isDisabled={shown.length === 0} onPress={() => onSave(shown)}>
            Save
          </Button>
        )}
        <Button
          className="button quiet"
          onPress={() => {
            log.clear();
            select(undefined);
          }}
        >
          Clear
        </Button>
      </div>
      {selected && (
        <MessageDetail
          message={selected}
          partner={partner}
          cause={causeOf?.(selected)}
          more={moreOf?.(selected)}
          onJump={jump}
          onClose={() => select(undefined)}
        />
      )}
    </div>
  );
}

const kindOf = (id: string): LoggedMessage["kind"] | undefined =>
  id === "request" || id === "result" || id === "error" || id === "notification" ? id : undefined;
