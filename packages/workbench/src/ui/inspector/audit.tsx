/**
 * The gateway's audit log of an app.
 *
 * @module
 */
import { useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { VList, type VListHandle } from "virtua";
import type { AppModel } from "../../model/app/app-model.js";
import { Choice } from "../choice.js";
import { useAuditRows } from "./audit-rows.js";
import { CopyButton } from "./fields.js";
import { clock, duration } from "./format.js";
import type { ShownAuditRow } from "./records.js";

const SCOPES = [
  { id: "view", label: "This app" },
  { id: "server", label: "All of its server" },
];

/** Rows of the audit log, newest first. */
export function AuditTab({ app }: { app: AppModel }) {
  const { server } = app.source;
  const [scope, setScope] = useState("view");
  const { rows, isReading, isMore, problem, refresh, more } = useAuditRows(
    server,
    scope === "view" ? app.id : undefined,
  );
  const list = useRef<VListHandle>(null);
  const traces = useMemo(() => new Map(rows.map(({ seq, trace }) => [seq, trace])), [rows]);
  return (
    <div className="in-messages">
      <div className="in-filters">
        <Choice label="Rows of" options={SCOPES} value={scope} onChange={setScope} />
        <Button className="button" isDisabled={isReading} onPress={refresh}>
          Refresh
        </Button>
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {rows.length === 0 && !isReading && !problem ? (
        <p className="in-none soft">
          No entries yet. Requests of an app to its server or to you are recorded here.
        </p>
      ) : (
        <VList
          className="in-lines"
          data={rows}
          tabIndex={0}
          role="group"
          aria-label="Audit log"
          ref={list}
          onScroll={(offset) => {
            const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
            if (offset + viewportSize > scrollSize - 200) more();
          }}
        >
          {(row) => <Row key={row.seq} row={row} trace={row.trace ?? traces.get(row.of ?? 0)} />}
        </VList>
      )}
      <div className="in-foot soft small">
        <span aria-live="polite">
          {isReading ? "Reading…" : rows.length === 1 ? "1 row" : `${rows.length} rows`}
        </span>
        {isMore && rows.length > 0 && (
          <Button className="button quiet" isDisabled={isReading} onPress={more}>
            More
          </Button>
        )}
      </div>
    </div>
  );
}

/** @param trace of an entry; an outcome has that of its entry, if it is loaded */
function Row({ row, trace }: { row: ShownAuditRow; trace: string | undefined }) {
  const { seq, time, kind, of, actor, method, target, decision, reason, outcome, code } = row;
  const isBad = decision === "refused" || outcome === "failed";
  return (
    <div className="in-line">
      <span className="soft mono">{seq}</span>
      <span className="soft small">{clock(time)}</span>
      <span className="in-line-text">
        {kind === "outcome" ? `outcome of ${of}` : <code>{method}</code>} {target && <code>{target}</code>}{" "}
        {actor && <span className="soft small">by {actor === "view" ? "the app" : actor}</span>}
      </span>
      <span className={`badge ${isBad ? "bad" : outcome === "ok" || decision === "allowed" ? "good" : ""}`}>
        {outcome ?? decision ?? kind}
      </span>
      <span className="soft small">
        {[code ?? reason, row.duration !== undefined && duration(row.duration)].filter(Boolean).join(", ")}
      </span>
      {trace && (
        <span className="in-trace soft small">
          trace <code>{trace}</code> <CopyButton label="Copy the trace id" text={() => trace} />
        </span>
      )}
    </div>
  );
}
