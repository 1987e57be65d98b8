/**
 * Requests that the user has made in this inspector: numbers, and each one to repeat, edit, pin, save and
 * compare.
 *
 * @module
 */
import { useState } from "react";
import { Button, Input, Label, TextField } from "react-aria-components";
import { jsonDiff } from "../../model/server/json-diff.js";
import type { SavedRequest } from "../../model/server/kept-requests.js";
import type { MadeRequest } from "../../model/server/request-log.js";
import { JsonEditor } from "../form/json-editor.js";
import { readArguments } from "../form/json-text.js";
import { clock, duration, size } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { useObservable } from "../use-observable.js";
import { FieldChanges } from "./field-changes.js";
import { Statistics } from "./request-statistics.js";
import type { ServerTabProps } from "./server-inspector.js";

/** The field for the name of a request. */
const NAMES: Record<MadeRequest["kind"], string> = {
  "tools/call": "Name",
  "prompts/get": "Name",
  "resources/read": "Address",
  any: "Method",
};

type Editable = Pick<MadeRequest, "kind" | "name" | "input">;

/** Statistics, saved requests, and the history. */
export function RequestsTab({ inspected }: ServerTabProps) {
  const { requests, kept } = inspected;
  useObservable(requests);
  const [saved, setSaved] = useState(() => kept.saved);
  const [edited, setEdited] = useState<Editable>();
  const [marked, setMarked] = useState<number>();
  const [open, setOpen] = useState<number>();
  const newest = requests.requests.toReversed();
  const made = [...newest.filter(({ isPinned }) => isPinned), ...newest.filter(({ isPinned }) => !isPinned)];
  const other = made.find(({ n }) => n === marked);
  const compared = made.find(({ n }) => n === open);
  const again = (request: Editable): void => void inspected.again(request);
  /** Shows the answer of a request that the user has written. */
  const send = (request: Editable): void => {
    const sent = inspected.again(request);
    if (request.kind === "any") void sent.then(({ n }) => setOpen(n));
  };
  return (
    <div className="in-scroll">
      <div className="si-row">
        <Button className="button" onPress={() => setEdited({ kind: "any", name: "", input: {} })}>
          New request
        </Button>
        <span className="soft small si-grow">Any JSON-RPC request: its method and params.</span>
      </div>
      <Statistics rows={requests.statistics} />
      {edited && (
        <EditedRequest
          key={JSON.stringify(edited)}
          request={edited}
          onSend={send}
          onSave={(request) => setSaved(kept.save(request))}
          onClose={() => setEdited(undefined)}
        />
      )}
      {saved.length > 0 && (
        <section className="in-section" aria-label="Saved requests">
          <h3>Saved</h3>
          <ul className="si-list">
            {saved.map((request) => (
              <li key={request.title} className="si-row">
                <span className="si-grow">
                  {request.title} <span className="soft small mono">{request.name}</span>
                </span>
                <Button
                  className="button"
                  aria-label={`Send ${request.title}`}
                  onPress={() => again(request)}
                >
                  Send
                </Button>
                <Button
                  className="button quiet"
                  aria-label={`Edit ${request.title}`}
                  onPress={() => setEdited(request)}
                >
                  Edit
                </Button>
                <Button
                  className="button quiet"
                  aria-label={`Forget ${request.title}`}
                  onPress={() => setSaved(kept.forget(request.title))}
                >
                  Forget
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="in-section" aria-label="History">
        <h3>History</h3>
        {made.length === 0 && (
          <p className="soft">Requests that you make in Tools, Resources and Prompts are listed here.</p>
        )}
        <ul className="si-list">
          {made.map((request) => (
            <li key={request.n}>
              <div className="si-row">
                <span className="si-grow">
                  <span className="mono">{request.name}</span>{" "}
                  <span className="soft small">{clock(request.at)}</span> <Outcome request={request} />
                </span>
                <Button className="button" onPress={() => again(request)}>
                  Resend
                </Button>
                <Button className="button quiet" onPress={() => setEdited(request)}>
                  Edit
                </Button>
                <Button
                  className="button quiet"
                  aria-pressed={request.isPinned === true}
                  onPress={() => inspected.pin(request, !request.isPinned)}
                >
                  {request.isPinned ? "Pinned" : "Pin"}
                </Button>
                <Button
                  className="button quiet"
                  aria-pressed={marked === request.n}
                  onPress={() => setMarked(marked === request.n ? undefined : request.n)}
                >
                  {marked === request.n ? "Marked" : "Mark to compare"}
                </Button>
                <Button
                  className="button quiet"
                  aria-expanded={open === request.n}
                  onPress={() => setOpen(open === request.n ? undefined : request.n)}
                >
                  {open === request.n ? "Hide" : other && other.n !== request.n ? "Compare" : "Show"}
                </Button>
              </div>
              {open === request.n && compared && <OpenRequest request={compared} other={other} />}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Outcome({ request: { outcome, isEarlier } }: { request: MadeRequest }) {
  if (isEarlier) return <span className="soft small">before this page was loaded, answer not stored</span>;
  if (!outcome) return <span className="badge accent">running</span>;
  return (
    <>
      {outcome.isError && <span className="badge bad">error</span>}{" "}
      <span className="soft small">
        {duration(outcome.duration)}, {size(outcome.size)}
      </span>
    </>
  );
}

/** A request with its answer, or the differences from the marked one. */
function OpenRequest({ request, other }: { request: MadeRequest; other: MadeRequest | undefined }) {
  const about = ({ input, outcome }: MadeRequest) => ({
    arguments: input,
    ...(outcome?.problem !== undefined && { problem: outcome.problem, code: outcome.code }),
    ...(outcome && outcome.problem === undefined && { result: outcome.result }),
  });
  if (!other || other.n === request.n)
    return <Json value={about(request)} label="The request and its answer" />;
  const changes = jsonDiff(about(other), about(request));
  return changes.length === 0 ? (
    <p role="status">Both have the same arguments and the same answer.</p>
  ) : (
    <FieldChanges changes={changes} before="the marked one" after="this one" />
  );
}

function EditedRequest({
  request,
  onSend,
  onSave,
  onClose,
}: {
  request: Editable;
  onSend: (request: Editable) => void;
  onSave: (request: SavedRequest) => void;
  onClose: () => void;
}) {
  const { kind, name } = request;
  const [text, setText] = useState(() => JSON.stringify(request.input, null, 2));
  const [address, setAddress] = useState(name);
  const [title, setTitle] = useState(name);
  const { value, problem } = readArguments(text);
  const named = kind === "any" ? address.trim() : address;
  const next = value && named !== "" ? { kind, name: named, input: value } : undefined;
  return (
    <section className="in-section" aria-label="Edit a request">
      <h3>Edit {kind === "any" ? "a JSON-RPC request" : <span className="mono">{kind}</span>}</h3>
      <TextField className="in-field" value={address} onChange={setAddress}>
        <Label className="soft small">{NAMES[kind]}</Label>
        <Input className="input" />
      </TextField>
      {kind !== "resources/read" && (
        <JsonEditor
          text={text}
          problems={problem === undefined ? [] : [problem]}
          label={kind === "any" ? "Params as JSON" : undefined}
          onChange={setText}
        />
      )}
      <div className="si-row">
        <Button className="button primary" isDisabled={!next} onPress={() => next && onSend(next)}>
          Send
        </Button>
        <TextField
          className="in-field si-grow"
          aria-label="Title of the saved request"
          value={title}
          onChange={setTitle}
        >
          <Input className="input" />
        </TextField>
        <Button
          className="button"
          isDisabled={!next || title.trim() === ""}
          onPress={() => next && onSave({ ...next, title: title.trim() })}
        >
          Save
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Close
        </Button>
      </div>
    </section>
  );
}
