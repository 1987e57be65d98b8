/**
 * What apps want the model to know: it is told with what the person says next.
 *
 * @module
 */
import { oneLine } from "@vitrine/host";
import type { AppContext } from "@vitrine/protocol";
import { memo } from "react";
import { Button, Dialog, DialogTrigger, Heading, Popover } from "react-aria-components";
import { textOf } from "../../model/messages.js";
import { Json } from "../inspector/json.js";
import { ContentBlocks } from "./content-blocks.js";

/** Characters of a context that a chip begins with. */
const FIRST = 80;

/** A chip for each app that has said something (I06): behind it is all that it said. */
export const ContextChips = memo(({ contexts }: { contexts: readonly AppContext[] }) => {
  if (contexts.length === 0) return null;
  return (
    <section className="contexts" aria-label="What apps want the model to know">
      <span className="soft small">The model will be told:</span>
      {contexts.map((context) => (
        <Chip key={context.item} context={context} />
      ))}
    </section>
  );
});

function Chip({ context }: { context: AppContext }) {
  const { server, at, isStale, content = [], structuredContent } = context;
  const title = oneLine(context.title);
  return (
    <DialogTrigger>
      <Button className="button context-chip" data-stale={isStale || undefined}>
        <span>
          {title}: {summaryOf(context)}
        </span>
        {isStale && <span className="badge warn">app closed</span>}
      </Button>
      <Popover className="popover" placement="top">
        <Dialog className="context-whole">
          <Heading slot="title" level={2}>
            {server}: what its app {title} said
          </Heading>
          <p className="soft small">
            Said at {new Date(at).toLocaleTimeString()}. The model is told once, with what is said next, as
            the app's word.
            {isStale && " The app is closed since: this is how it was then."}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <section className="context-text" tabIndex={0} aria-label={`What ${title} said`}>
            <ContentBlocks content={content} />
            {structuredContent !== undefined && <Json value={structuredContent} label="Structured content" />}
          </section>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** The first of what it said, in one line. */
function summaryOf({ content = [], structuredContent }: AppContext): string {
  const text = textOf({ content }) || JSON.stringify(structuredContent ?? {});
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > FIRST ? `${line.slice(0, FIRST)}…` : line;
}
