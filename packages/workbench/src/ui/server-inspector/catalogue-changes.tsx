/**
 * Shows changes in a server's lists since the user last marked them as seen.
 *
 * @module
 */
import { useEffect, useMemo, useState } from "react";
import { Button } from "react-aria-components";
import { catalogueDiff, type ListedChange, listsOf } from "../../model/server/catalogue-diff.js";
import { Fold } from "../fold.js";
import { clock } from "../inspector/format.js";
import { FieldChanges } from "./field-changes.js";
import type { ServerTabProps } from "./server-inspector.js";

const TONES = { added: "good", removed: "bad", changed: "warn" } as const;

/** Added, removed and changed tools, resources, templates and prompts. */
export function CatalogueChanges({ shown: { catalogue }, inspected }: ServerTabProps) {
  const { kept } = inspected;
  const [seen, setSeen] = useState(() => kept.seen);
  // The first look: everything counts as seen.
  useEffect(() => {
    if (!catalogue || kept.seen) return;
    kept.see(listsOf(catalogue), Date.now());
    setSeen(kept.seen);
  }, [catalogue, kept]);
  const changes = useMemo(
    () => (catalogue && seen ? catalogueDiff(seen.lists, listsOf(catalogue)) : []),
    [catalogue, seen],
  );
  return (
    <section className="in-section" aria-label="Changes of its lists">
      <h3>Changes</h3>
      <p className="soft small">
        {seen ? `Compared with what it offered at ${clock(seen.at)}.` : "It has not listed anything yet."}
      </p>
      {seen && changes.length === 0 && <p role="status">Nothing has changed.</p>}
      {changes.length > 0 && (
        <>
          <ul className="si-list" aria-label="Changes">
            {changes.map((change) => (
              <li key={`${change.kind} ${change.name}`}>
                <Change change={change} />
              </li>
            ))}
          </ul>
          <Button
            className="button"
            onPress={() => {
              if (catalogue) kept.see(listsOf(catalogue), Date.now());
              setSeen(kept.seen);
            }}
          >
            Mark as seen
          </Button>
        </>
      )}
    </section>
  );
}

function Change({ change: { kind, name, change, fields } }: { change: ListedChange }) {
  return (
    <>
      <p className="si-row">
        <span className={`badge ${TONES[change]}`}>{change}</span>
        <span>
          {kind} <span className="mono">{name}</span>
        </span>
      </p>
      {fields.length > 0 && (
        <Fold name={fields.length === 1 ? "1 field" : `${fields.length} fields`}>
          <FieldChanges changes={fields} before="before" after="now" />
        </Fold>
      )}
    </>
  );
}
