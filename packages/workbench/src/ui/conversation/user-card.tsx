/**
 * What the person said, or an app in their place.
 *
 * @module
 */
import type { UserItem } from "@vitrine/protocol";
import { Heading } from "react-aria-components";
import { ContentBlocks } from "./content-blocks.js";

/** A message, and whose it is: what an app says is never taken for the person's own word (I05). */
export function UserCard({ item: { id, at, content, from } }: { item: UserItem }) {
  return (
    <article className={from ? "card message" : "card message own"} aria-labelledby={`message-${id}`}>
      <header className="card-head">
        <Heading level={3} id={`message-${id}`} className="card-title">
          {from ? `${from.title} says` : "You"}
        </Heading>
        <span className="facts small soft">
          {from && (
            <span className="badge accent">
              said by the app {from.title} of {from.server}
            </span>
          )}
          <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
        </span>
      </header>
      <ContentBlocks content={content} />
    </article>
  );
}
