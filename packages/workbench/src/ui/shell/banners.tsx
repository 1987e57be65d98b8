/**
 * Messages about the whole page.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { useObserved } from "../use-observable.js";
import { closedAdvice } from "./connection.js";

/** Milliseconds before a lost connection is reported. */
const RECONNECT_DELAY = 2000;
const AWAY =
  "The gateway does not answer. If it was stopped, start it again: this page continues where it was, and shows what happened to running calls.";

/** Whether a condition has held for a while. */
function useLasting(isSo: boolean, milliseconds: number): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isSo) return undefined;
    const timer = setTimeout(() => setLasts(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [isSo, milliseconds]);
  return isSo && lasts;
}

/** Lines below the header. */
export function Banners({ workbench }: { workbench: Workbench }) {
  const connection = useObserved(workbench, (each) => each.connection);
  const problem = useObserved(workbench, (each) => each.problem);
  const alarm = useObserved(workbench, (each) => each.alarm);
  const notices = useObserved(workbench.servers, (each) => each.notices);
  // Other problems caused by the lost connection need no banner.
  const isAway = useLasting(connection.phase === "reconnecting", RECONNECT_DELAY);
  const away = isAway ? AWAY : undefined;
  const lines = [away ?? closedAdvice(connection) ?? problem, alarm];
  return (
    <>
      {lines.map((line) =>
        line === undefined ? null : (
          <p key={line} className="banner" role="alert">
            {line}
          </p>
        ),
      )}
      {notices.split("\n").map((line) => line && <Notice key={line} text={line} />)}
    </>
  );
}

/** A line that stays until dismissed. */
function Notice({ text }: { text: string }) {
  const [isRead, setRead] = useState(false);
  if (isRead) return null;
  return (
    <div className="banner notice" role="alert">
      <span>{text}</span>
      <Button className="button quiet" onPress={() => setRead(true)}>
        Got it
      </Button>
    </div>
  );
}
