/**
 * A tool's result.
 *
 * @module
 */
import type { CallToolResult } from "@vitrine/protocol";
import { Fold } from "../fold.js";
import { Json } from "../inspector/json.js";
import { Boundary } from "../shell/boundary.js";
import { ContentBlocks } from "./content-blocks.js";

/** The content, with structured content behind a fold. */
export function Result({ result: { content, structuredContent, isError } }: { result: CallToolResult }) {
  return (
    // With its own boundary, so that an error does not affect its surroundings.
    <Boundary name="The result">
      <div className={isError ? "result problem" : "result"}>
        {isError && <strong>The tool reported a failure.</strong>}
        <ContentBlocks content={content} />
        {content.length === 0 && structuredContent === undefined && (
          <p className="soft">The result is empty.</p>
        )}
        {structuredContent !== undefined && (
          <Fold name="Structured content">
            <Json value={structuredContent} label="Structured content" />
          </Fold>
        )}
      </div>
    </Boundary>
  );
}
