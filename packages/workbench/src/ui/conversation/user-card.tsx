/**
 * A message of the user, or of an app on the user's behalf.
 *
 * @module
 */
import type { UserItem } from "@vitrine/wire";
import type { ReactNode } from "react";
import { Heading } from "react-aria-components";
import { ContentBlocks } from "./content-blocks.js";

/** Props of a {@link UserCard}. */
export interface UserCardProps {
  item: UserItem;
  /** The agent that reads the conversation instead of a model. */
  agent?: string | undefined;
  actions?: ReactNode;
}

/** A message with its author: an app's message must never look like the user's own. */
export function UserCard({ item, agent, actions }: UserCardProps) {
  const { id, at, content, from, isQueued } = item;
  return (
    <article className={from ? "card message" : "card message own"} aria-labelledby={`message-${id}`}>
      <header className="card-head">
        <Heading level={3} id={`message-${id}`} className="card-title">
          {from ? `${from.title} says` : "You"}
        </Heading>
        <span className="facts small soft">
          {from && (
            <span className="badge accent">
              written by the app {from.title} of {from.server}
            </span>
          )}
          {isQueued && (
            <span className="badge" title={queuedHint(agent)}>
              {agent === undefined ? "queued" : "not read yet"}
            </span>
          )}
          <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
        </span>
      </header>
      {/* The user sees their own words as they wrote them. */}
      <ContentBlocks content={content} isPlain={!from} />
      {!isQueued && actions}
    </article>
  );
}

const queuedHint = (agent: string | undefined): string =>
  agent === undefined
    ? "The model answers it after the current turn."
    : `${agent} reads it with the result of its next call, or at once while it waits in app_context.`;
