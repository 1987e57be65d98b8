/**
 * What concerns the whole page.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import { closedAdvice } from "./connection.js";

/** Lines below the header, while there is something to say. */
export function Banners({ workbench }: { workbench: Workbench }) {
  useObservable(workbench);
  // What else went wrong because the connection is gone needs no saying.
  const lines = [closedAdvice(workbench.connection) ?? workbench.problem, workbench.alarm];
  return lines.map((line) =>
    line === undefined ? null : (
      <p key={line} className="banner" role="alert">
        {line}
      </p>
    ),
  );
}
