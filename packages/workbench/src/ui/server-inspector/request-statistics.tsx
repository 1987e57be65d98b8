/**
 * A table of the times, sizes and errors of the requests that the user has made.
 *
 * @module
 */
import type { RequestStatistics } from "../../model/server/request-log.js";
import { count, duration, size } from "../inspector/format.js";

/** The table, with a row for each name; nothing without rows. */
export function Statistics({ rows }: { rows: readonly RequestStatistics[] }) {
  if (rows.length === 0) return null;
  return (
    <section className="in-section" aria-label="Statistics">
      <h3>Times, sizes and errors of this session</h3>
      <div className="si-table">
        <table>
          <thead>
            <tr>
              <th scope="col">Request</th>
              <th scope="col">Count</th>
              <th scope="col">Errors</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">Characters</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.kind} ${row.name}`}>
                <th scope="row" className="mono">
                  {row.name}
                </th>
                <td>{count(row.count)}</td>
                <td>{count(row.errors)}</td>
                <td>{duration(row.p50)}</td>
                <td>{duration(row.p95)}</td>
                <td>
                  {size(row.size)} (largest {size(row.largest)})
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
