/**
 * Rows of the audit log, page by page.
 *
 * @module
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../../model/messages/messages.js";
import { type AuditRow, PAGE, readAudit } from "./records.js";

/** What is known of the audit log, and how to know more. */
export interface AuditRows {
  readonly rows: readonly AuditRow[];
  readonly isReading: boolean;
  /** There are older ones. */
  readonly isMore: boolean;
  readonly problem: string | undefined;
  /** Reads the newest anew. */
  refresh(): void;
  /** Reads older ones. */
  more(): void;
}

type Known = Pick<AuditRows, "rows" | "isMore" | "problem">;
const NOTHING: Known = { rows: [], isMore: false, problem: undefined };

/** Rows about a server, or about one of its views, the newest first. */
export function useAuditRows(server: string, view: string | undefined): AuditRows {
  const [known, setKnown] = useState(NOTHING);
  const [isReading, setReading] = useState(false);
  /** The last reading that was begun: what an earlier one brings no longer matters. */
  const turn = useRef(0);
  const read = useCallback(
    async (before: readonly AuditRow[]) => {
      const own = ++turn.current;
      setReading(true);
      let next: Known;
      try {
        next = await older(before, server, view);
      } catch (error) {
        const problem = `The audit log could not be read: ${messageOf(error)}.`;
        next = { rows: before, isMore: false, problem };
      }
      if (own !== turn.current) return;
      setKnown(next);
      setReading(false);
    },
    [server, view],
  );
  useEffect(() => void read([]), [read]);
  return {
    ...known,
    isReading,
    refresh: () => void read([]),
    more: () => {
      if (known.isMore && !isReading) void read(known.rows);
    },
  };
}

/** The rows that are known, and the next older ones. */
async function older(known: readonly AuditRow[], server: string, view: string | undefined): Promise<Known> {
  // The log is asked by time, and several rows may have the same.
  const to = known.at(-1)?.time;
  const seen = new Set(known.map(({ seq }) => seq));
  for (const limit of [PAGE, 1000]) {
    const found = await readAudit({ server, view, to, limit });
    const fresh = found.filter(({ seq }) => !seen.has(seq));
    const isAll = found.length < limit;
    if (fresh.length > 0 || isAll) return { rows: [...known, ...fresh], isMore: !isAll, problem: undefined };
  }
  return { rows: known, isMore: false, problem: undefined };
}
