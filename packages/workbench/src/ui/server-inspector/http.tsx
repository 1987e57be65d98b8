/**
 * HTTP requests of the gateway to a server, with their answers. The gateway has masked their secrets.
 *
 * @module
 */
import { type ReactNode, useCallback, useState } from "react";
import { Button } from "react-aria-components";
import type { LoggedExchange } from "../../model/server/http-log.js";
import type { InspectedServer } from "../../model/server/inspected-server.js";
import type { TimelineMessage } from "../../model/server/timeline.js";
import { Choice } from "../choice.js";
import { Fold } from "../fold.js";
import { SearchBox } from "../inspector/fields.js";
import { count, duration, size } from "../inspector/format.js";
import { saveFile } from "../save-file.js";
import { useObservable } from "../use-observable.js";
import { HttpMessage } from "./http-message.js";

const STATES = [
  { id: "", label: "All requests" },
  { id: "open", label: "Under way" },
  { id: "bad", label: "Failed" },
];

type State = "open" | "good" | "bad";

/** An event stream is under way until it ends, though its headers have arrived. */
function stateOf({ response, failure, end }: LoggedExchange): State {
  if (failure || (response && response.status >= 400) || end?.isWhole === false) return "bad";
  return end ? "good" : "open";
}

/** The list, the newest first. */
export function HttpTab({ inspected: { http } }: { inspected: InspectedServer }) {
  useObservable(http);
  const [state, setState] = useState("");
  const [text, setText] = useState("");
  const search = useCallback((next: string) => setText(next), []);
  const part = text.trim().toLowerCase();
  const found = http.exchanges
    .filter((each) => state === "" || stateOf(each) === state)
    .filter((each) => part === "" || JSON.stringify(each).toLowerCase().includes(part))
    .toReversed();
  return (
    <div className="in-messages">
      <div className="in-filters">
        <Choice label="State" options={STATES} value={state} onChange={setState} />
        <SearchBox label="Search in requests" value={text} onChange={search} />
      </div>
      <div className="in-scroll">
        {found.length === 0 ? (
          <p className="in-none soft">
            {http.exchanges.length > 0
              ? "No request matches."
              : "No requests yet. Each HTTP request to this server while this inspector is open is listed here, with secrets masked. Those of a sign-in are in the tab Sign-in."}
          </p>
        ) : (
          <ul className="si-list" aria-label="HTTP requests">
            {found.slice(0, SHOWN).map((exchange) => (
              <li key={exchange.n}>
                <ExchangeView exchange={exchange} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="in-foot soft small">
        <span aria-live="polite">
          {count(Math.min(found.length, SHOWN))} of {count(http.exchanges.length)}
          {http.dropped > 0 && `, ${count(http.dropped)} forgotten`}
        </span>
        <Button
          className="button quiet"
          isDisabled={found.length === 0}
          onPress={() => saveFile("http.json", JSON.stringify(found, undefined, 2), "application/json")}
        >
          Save
        </Button>
        <Button className="button quiet" onPress={() => http.clear()}>
          Clear
        </Button>
      </div>
    </div>
  );
}

/** Requests that are drawn. Older ones are found by a search. */
const SHOWN = 200;

/** The HTTP request that carried a message, or whose answer did. */
export function HttpOfMessage({
  inspected: { http, timeline },
  message: { id, method, kind, direction, at, app },
}: {
  inspected: InspectedServer;
  message: TimelineMessage;
}) {
  useObservable(http);
  const isOwn = app === undefined && (direction === "out" ? kind === "request" : kind !== "request");
  const own = isOwn && typeof id === "string" ? idOf(id) : undefined;
  const found = own?.flatMap((each) => http.ofMessage(each, method, at + timeline.start) ?? [])[0];
  return found ? (
    <section aria-label="HTTP of the message">
      <ExchangeView exchange={found} />
    </section>
  ) : null;
}

/** The list of messages marks ids of the server. They may be numbers or texts. */
function idOf(id: string): (string | number)[] | undefined {
  const [, own] = /^server (.+)$/s.exec(id) ?? [];
  return own === undefined ? undefined : [Number(own), own];
}

function ExchangeView({ exchange }: { exchange: LoggedExchange }) {
  const { request, rpc, response, failure, end, by } = exchange;
  const state = stateOf(exchange);
  return (
    <div className="sign-in-event">
      <p className="sign-in-line">
        <span className="mono">
          {request.method} {request.url}
        </span>{" "}
        <span className={`badge ${state === "open" ? "accent" : state}`}>
          {failure ? failure.code : (response?.status ?? "waiting")}
        </span>{" "}
        <span className="soft small">
          {[
            response && duration(response.duration),
            end && response && end.duration - response.duration > 1
              ? `ended after ${duration(end.duration)}`
              : undefined,
            end && `${size(end.size)} bytes`,
            end && !end.isWhole ? "cut off" : undefined,
            response && !end ? "still open" : undefined,
          ]
            .filter(Boolean)
            .join(", ")}
        </span>
      </p>
      {rpc && (
        <p className="sign-in-line small soft">
          {rpc.method ?? "an answer"}
          {rpc.id !== undefined && ` #${rpc.id}`}
          {by && ` · by ${WHO[by.actor] ?? by.actor}`}
        </p>
      )}
      <Fold name="Headers">
        <HttpMessage title="Request" headers={request.headers} body={undefined} />
        {response && (
          <HttpMessage title="Answer" headers={response.headers} body={response.body}>
            <StatusLine status={response.status} />
          </HttpMessage>
        )}
        {failure && <p className="problem small">{failure.message}</p>}
      </Fold>
    </div>
  );
}

/** Makers of calls. */
const WHO: Readonly<Record<string, string>> = { host: "you", view: "an app", model: "the model" };

const StatusLine = ({ status }: { status: number }): ReactNode => <p className="mono">HTTP {status}</p>;
