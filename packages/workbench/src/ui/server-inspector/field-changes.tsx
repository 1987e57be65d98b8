/**
 * A table of fields that differ.
 *
 * @module
 */
import type { FieldChange } from "../../model/server/json-diff.js";

/** Characters of a value that are shown. */
const MOST = 2000;

/** The fields, with both values. */
export function FieldChanges({
  changes,
  before,
  after,
}: {
  changes: readonly FieldChange[];
  before: string;
  after: string;
}) {
  return (
    <div className="si-table">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">{before}</th>
            <th scope="col">{after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.path}>
              <th scope="row" className="mono">
                {change.path || "(all of it)"}
              </th>
              <td className="mono si-before">{shown(change.before)}</td>
              <td className="mono si-after">{shown(change.after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return "–";
  const text = JSON.stringify(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
