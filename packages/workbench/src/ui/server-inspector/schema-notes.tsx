/**
 * Notes on a tool whose name or schemas some clients mishandle.
 *
 * @module
 */
import { Fragment, useMemo } from "react";
import { type NotedTool, type SchemaNote, schemaNotes } from "../../model/server/schema-notes.js";
import { Fold } from "../fold.js";
import { count } from "../inspector/format.js";

/** Notes that are shown at once. More are folded. */
const MOST_OPEN = 2;

/** The notes; nothing without any. */
export function SchemaNotes({ tool }: { tool: NotedTool }) {
  const notes = useMemo(() => schemaNotes(tool), [tool]);
  if (notes.length === 0) return null;
  const list = (
    <ul className="si-notes soft small" aria-label={`Notes on ${tool.name}`}>
      {notes.map((note) => (
        <li key={`${note.about} ${note.id}`}>
          <Note {...note} />
        </li>
      ))}
    </ul>
  );
  if (notes.length <= MOST_OPEN) return list;
  return <Fold name={`${notes.length} notes for other clients`}>{list}</Fold>;
}

function Note({ about, text, places, more }: SchemaNote) {
  return (
    <>
      {about === "output schema" && "Output schema: "}
      {text.split("`").map((piece, index) =>
        // Every second piece was between backticks.
        index % 2 === 1 ? <code key={piece}>{piece}</code> : <Fragment key={piece}>{piece}</Fragment>,
      )}
      {places.length > 0 && " Here: "}
      {places.map((place, index) => (
        <Fragment key={place}>
          {index > 0 && ", "}
          <code>{place}</code>
        </Fragment>
      ))}
      {more > 0 && ` and ${count(more)} more`}
      {places.length > 0 && "."}
    </>
  );
}
