/**
 * Pages of the audit log.
 *
 * @module
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../../model/messages/messages.js";
import { PAGE, readAudit, type ShownAuditRow } from "./records.js";

/** The loaded rows, and functions to load more. */
export interface AuditRows {
  readonly rows: readonly ShownAuditRow[];
  readonly isReading: boolean;
  /** Whether there are older ones. */
  readonly isMore: boolean;
  readonly problem: string | undefined;
  /** Reloads the newest. */
  refresh(): void;
  /** Loads older ones. */
  more(): void;
}

type Known = Pick<AuditRows, "rows" | "isMore" | "problem">;
const NOTHING: Known = { rows: [], isMore: false, problem: undefined };

/** Rows about a server or one of its views, newest first. */
export function useAuditRows(server: string, view: string | undefined): AuditRows {
  const [known, setKnown] = useState(NOTHING);
  const [isReading, setReading] = useState(false);
  /** The number of the last read: results of earlier ones are ignored. */
  const turn = useRef(0);
  const read = useCallback(
    async (before: readonly ShownAuditRow[]) => {
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

/** The known rows, and the next older ones. */
async function older(
  known: readonly ShownAuditRow[],
  server: string,
  view: string | undefined,
): Promise<Known> {
  // The log is queried by time, and several rows may have the same time.
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
