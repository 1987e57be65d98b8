/**
 * A value as JSON that can be folded.
 *
 * @module
 */
import { useMemo } from "react";
import { JsonView } from "react-json-view-lite";
import { ClippedText } from "./clipped-text.js";

/** Characters up to which every part can be folded by itself. */
const MOST = 200_000;

const NO_STYLE = {
  container: "json",
  childFieldsContainer: "json-fields",
  basicChildStyle: "json-field",
  label: "json-label",
  clickableLabel: "json-label",
  nullValue: "json-other",
  undefinedValue: "json-other",
  stringValue: "json-string",
  booleanValue: "json-other",
  numberValue: "json-number",
  otherValue: "json-other",
  punctuation: "json-mark",
  expandIcon: "json-closed",
  collapseIcon: "json-open",
  collapsedContent: "json-more",
  noQuotesForStringValues: false,
  quotesForFieldNames: false,
  stringifyStringValues: true,
  ariaLables: { collapseJson: "Fold", expandJson: "Unfold" },
};

/** A value, folded below its second level. */
export function JsonValue({ value, levels = 2 }: { value: unknown; levels?: number }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "undefined", [value]);
  if (text.length > MOST || typeof value !== "object" || value === null) return <ClippedText text={text} />;
  return (
    <JsonView data={value} style={NO_STYLE} shouldExpandNode={(level) => level < levels} clickToExpandNode />
  );
}
