/**
 * A message.
 *
 * @module
 */
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "react-aria-components";
import type { LoggedMessage } from "../../model/app/app-log.js";
import { jsonOf } from "../../model/messages/message-json.js";
import { CopyButton } from "./fields.js";
import { count, duration, moment } from "./format.js";
import { Json } from "./json.js";

/** Props of a {@link MessageDetail}. */
export interface MessageDetailProps {
  message: LoggedMessage;
  partner: LoggedMessage | undefined;
  /** The message that caused it. */
  cause?: LoggedMessage | undefined;
  /** Shown below the message. */
  more?: ReactNode;
  onJump: (to: LoggedMessage) => void;
  onClose: () => void;
}

/** A message as JSON, with a link to its answer or request. */
export function MessageDetail({ message, partner, cause, more, onJump, onClose }: MessageDetailProps) {
  const { method, kind, direction, at, size, party = "the app" } = message;
  return (
    <section className="in-detail" aria-label="The chosen message">
      <header className="in-detail-head">
        <h3 className="mono">{method || kind}</h3>
        <span className="soft small">
          {kind} {direction === "in" ? `from ${party}` : `to ${party}`} at {moment(at)}, {count(size)}{" "}
          characters
          {message.duration !== undefined && `, after ${duration(message.duration)}`}
        </span>
        <span className="in-actions">
          {cause && (
            <Button className="button" onPress={() => onJump(cause)}>
              Go to its cause
            </Button>
          )}
          {partner && (
            <Button className="button" onPress={() => onJump(partner)}>
              {kind === "request" ? "Go to the answer" : "Go to the request"}
            </Button>
          )}
          <CopyButton text={() => jsonOf(message.message)} />
          <Button className="button quiet icon" aria-label="Close the message" onPress={onClose}>
            <X />
          </Button>
        </span>
      </header>
      <div className="in-detail-body">
        <Json value={message.message} label="The message as JSON" />
        {more}
      </div>
    </section>
  );
}
