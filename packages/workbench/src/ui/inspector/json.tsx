/**
 * Displays JSON.
 *
 * @module
 */
import { useMemo } from "react";
import { jsonOf } from "../../model/messages/message-json.js";
import { part } from "../part.js";
import { count } from "./format.js";
import { TextBlock } from "./text-block.js";
import "./json.css";

/** Loaded when the first value is unfolded. */
const JsonView = part("The value", async () => (await import("react-json-view-lite")).JsonView);

/** Maximum characters of a tree; larger values are text. */
const TREE = 200_000;
/** Maximum characters of text. */
const TEXT = 500_000;

const STYLE = {
  container: "json",
  basicChildStyle: "json-child",
  label: "json-label",
  clickableLabel: "json-label json-click",
  nullValue: "json-null",
  undefinedValue: "json-null",
  numberValue: "json-number",
  stringValue: "json-string",
  booleanValue: "json-number",
  otherValue: "json-null",
  punctuation: "json-mark",
  expandIcon: "json-icon json-closed",
  collapseIcon: "json-icon json-open",
  collapsedContent: "json-more",
  childFieldsContainer: "json-fields",
  noQuotesForStringValues: false,
  quotesForFieldNames: false,
  ariaLables: { collapseJson: "collapse", expandJson: "expand" },
  stringifyStringValues: true,
};

/** Maximum characters of a value that is shown without a click. */
const SMALL = 2_000;

/** Large values start closed. */
const opens = (depth: number) => (level: number, value: unknown) =>
  level < depth && Object.keys(Object(value)).length <= 100;

/** A value as a JSON tree, or as text if it is large. `depth` levels of it are open, and all of a small value. */
export function Json({ value, label, depth = 4 }: { value: unknown; label: string; depth?: number }) {
  const text = useMemo(() => jsonOf(value), [value]);
  const tree = useMemo(() => (text.length <= TREE ? treeOf(text) : undefined), [text]);
  if (tree) {
    const levels = text.length <= SMALL ? Number.POSITIVE_INFINITY : depth;
    return <JsonView data={tree} style={STYLE} shouldExpandNode={opens(levels)} aria-label={label} />;
  }
  return (
    <>
      {text.length > TEXT && (
        <p className="soft small">
          The first {count(TEXT)} of {count(text.length)} characters. Copy has all of it.
        </p>
      )}
      <TextBlock text={text.slice(0, TEXT)} label={label} />
    </>
  );
}

function treeOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Object(value) === value ? (value as object) : undefined;
  } catch {
    return undefined;
  }
}
