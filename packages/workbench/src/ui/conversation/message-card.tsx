/**
 * What an app said.
 *
 * @module
 */
import { Heading } from "react-aria-components";
import type { SavedMessage } from "../../model/saved-conversation.js";
import { ContentBlocks } from "./content-blocks.js";

/** A message, and whose it is: an app speaks here, not the person. */
export function MessageCard({ message }: { message: SavedMessage }) {
  const { id, title, server, content, at } = message;
  return (
    <article className="card message" aria-labelledby={`message-${id}`}>
      <header className="card-head">
        <Heading level={3} id={`message-${id}`} className="card-title">
          {title} says
        </Heading>
        <span className="facts small soft">
          <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
          <span className="mono">{server}</span>
        </span>
      </header>
      <ContentBlocks content={content} />
    </article>
  );
}
