/**
 * Shows a message of a sign-in, with secrets masked by the gateway.
 *
 * @module
 */
import type { SignInEvent, SignInExchange, SignInNote } from "@vitrine/wire";
import { Fold } from "../fold.js";
import { duration } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { HttpMessage } from "./http-message.js";

/** A request with its answer, or a note. */
export function SignInEventView({ event }: { event: SignInEvent }) {
  return event.kind === "note" ? <Note note={event} /> : <Exchange exchange={event} />;
}

function Exchange({ exchange }: { exchange: SignInExchange }) {
  const { request, response, failure, claims } = exchange;
  const isGood = response !== undefined && response.status < 400;
  return (
    <div className="sign-in-event">
      <p className="sign-in-line">
        <span className="mono">
          {request.method} {request.url}
        </span>{" "}
        <span className={`badge ${isGood ? "good" : "bad"}`}>
          {response ? response.status : (failure?.code ?? "no answer yet")}
        </span>{" "}
        {response && <span className="soft small">{duration(response.duration)}</span>}
      </p>
      <Fold name="Request and answer">
        <HttpMessage level="h5" title="Request" headers={request.headers} body={request.body} />
        {response && (
          <HttpMessage level="h5" title="Answer" headers={response.headers} body={response.body}>
            <p className="mono">HTTP {response.status}</p>
          </HttpMessage>
        )}
        {failure && (
          <p className="problem small">
            {failure.code}: {failure.message}
          </p>
        )}
        {claims && <Claims claims={claims} />}
      </Fold>
    </div>
  );
}

function Claims({ claims }: { claims: NonNullable<SignInEvent["claims"]> }) {
  const shown = Object.entries(claims).map(([name, value]) => [
    name,
    /^(exp|nbf|iat)$/.test(name) && typeof value === "number"
      ? `${value} (${new Date(value * 1000).toISOString()})`
      : value,
  ]);
  return (
    <div className="sign-in-message">
      <h5>Token, without its signature</h5>
      <Json value={Object.fromEntries(shown)} label="Claims of the token" />
    </div>
  );
}

const NOTES: Readonly<Record<SignInNote["code"], string>> = {
  "client-settings": "The client is in the settings.",
  "client-document":
    "The client is described by a document at its own address (client id metadata document).",
  "client-known": "The client was registered before.",
  redirect: "The browser is sent to the authorization server.",
  returned: "The browser came back.",
  "subject-token": "The user's ID token was read.",
  forgotten: "The gateway has forgotten the tokens and the registered client.",
  failed: "The step ended with an error.",
};

function Note({ note: { code, facts, claims } }: { note: SignInNote }) {
  return (
    <div className="sign-in-event">
      <p>{NOTES[code]}</p>
      {Object.entries(facts).map(([name, value]) => (
        <p key={name} className="sign-in-line small">
          <span className="soft">{name}</span> <span className="mono">{value}</span>
        </p>
      ))}
      {claims && (
        <Fold name="ID token">
          <Claims claims={claims} />
        </Fold>
      )}
    </div>
  );
}
