/**
 * Pages that servers sent the user to, and whether the server reported completion.
 *
 * @module
 */
import { Button } from "react-aria-components";
import type { Questions, Visit } from "../../model/conversation/questions.js";
import { useObservable } from "../use-observable.js";
import { hostOf } from "./link-host.js";

/** A line each, in a corner of the page, until dismissed. */
export function Visits({ questions }: { questions: Questions }) {
  useObservable(questions);
  const { visits } = questions;
  return (
    // Present before it has content, or screen readers would miss the first line.
    <div className="visits" role="status">
      {visits.map((visit) => (
        <p key={visit.id} className="visit">
          <span>{wordsOf(visit)}</span>
          <Button className="button quiet" onPress={() => questions.dismiss(visit.id)}>
            {visit.isDone ? "OK" : "Dismiss"}
          </Button>
        </p>
      ))}
    </div>
  );
}

const wordsOf = ({ server, url, isDone }: Visit): string => {
  const host = hostOf(url) ?? url;
  return isDone
    ? `Done: the server ${server} has received what it needs from ${host}.`
    : `${host} is open in another tab. The server ${server} will report when it has received what it needs.`;
};
