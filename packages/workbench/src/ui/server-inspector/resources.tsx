/**
 * Resources and templates of a server: read, completed, and subscribed to.
 *
 * @module
 */
import type { Resource, ResourceTemplate } from "@vitrine/protocol";
import { useState } from "react";
import { Button, ToggleButton } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { MadeRequest } from "../../model/server/request-log.js";
import { contentsOf } from "../../model/server/resource-contents.js";
import { expandTemplate, templateVariables } from "../../model/server/uri-template.js";
import { CompletedField } from "../form/completed-field.js";
import { SearchBox } from "../inspector/fields.js";
import { duration } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { useObservable } from "../use-observable.js";
import { ListPages } from "./list-pages.js";
import { ResourceView } from "./resource-view.js";
import { ServerIcon } from "./server-icon.js";
import type { ServerTabProps } from "./server-inspector.js";

/** The lists. */
export function ResourcesTab(props: ServerTabProps) {
  const { catalogue } = props.shown;
  const [search, setSearch] = useState("");
  const { resources = [], templates = [], missing = [] } = catalogue ?? {};
  if (resources.length + templates.length + missing.length === 0)
    return <p className="in-none soft">{catalogue ? "It offers no resources." : "Loading…"}</p>;
  const has = (...texts: (string | undefined)[]): boolean =>
    texts.join("\n").toLowerCase().includes(search.trim().toLowerCase());
  return (
    <div className="in-scroll">
      <SearchBox label="Search resources" value={search} onChange={setSearch} />
      <ListPages inspected={props.inspected} list="resources" />
      <ListPages inspected={props.inspected} list="resource templates" />
      {missing.map((sentence) => (
        <p key={sentence} className="problem small">
          {sentence}
        </p>
      ))}
      <ul className="in-cards" aria-label="Resource templates">
        {templates
          .filter(({ name, title, uriTemplate }) => has(name, title, uriTemplate))
          .map((template) => (
            <li key={template.uriTemplate}>
              <Template {...props} template={template} />
            </li>
          ))}
      </ul>
      <ul className="in-cards" aria-label="Resources">
        {resources
          .filter(({ name, title, uri }) => has(name, title, uri))
          .map((resource) => (
            <li key={resource.uri}>
              <Listed {...props} resource={resource} />
            </li>
          ))}
      </ul>
    </div>
  );
}

function Listed({ resource, ...props }: ServerTabProps & { resource: Resource }) {
  const { uri, name, title, description, mimeType, size, icons } = resource;
  return (
    <section className="in-section" aria-label={title ?? name}>
      <h3 className="si-title">
        <ServerIcon inspected={props.inspected} icons={icons} />
        {title ?? name}
      </h3>
      <p className="soft small mono">
        {[uri, mimeType, size === undefined ? undefined : `${size} bytes`].filter(Boolean).join(" · ")}
      </p>
      {description && <p className="description">{description}</p>}
      <ResourceReader {...props} uri={uri} />
    </section>
  );
}

function Template({ template, ...props }: ServerTabProps & { template: ResourceTemplate }) {
  const { uriTemplate, name, title, description, icons } = template;
  const { shown, inspected } = props;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const uri = expandTemplate(uriTemplate, values);
  return (
    <section className="in-section" aria-label={title ?? name}>
      <h3 className="si-title">
        <ServerIcon inspected={inspected} icons={icons} />
        {title ?? name}
      </h3>
      <p className="soft small mono">{uriTemplate}</p>
      {description && <p className="description">{description}</p>}
      {templateVariables(uriTemplate).map((variable) => (
        <CompletedField
          key={variable}
          complete={inspected.completion({ type: "ref/resource", uri: uriTemplate }, shown.summary)}
          name={variable}
          label={variable}
          value={values[variable] ?? ""}
          values={values}
          onChange={(value) => setValues((before) => ({ ...before, [variable]: value }))}
        />
      ))}
      <p className="soft small">
        Address: <span className="mono">{uri}</span>
      </p>
      <ResourceReader {...props} uri={uri} />
    </section>
  );
}

/** Reads one address, and follows it. */
function ResourceReader({ uri, shown, inspected }: ServerTabProps & { uri: string }) {
  useObservable(inspected);
  const [read, setRead] = useState<MadeRequest>();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const updates = inspected.subscriptions.get(uri);
  const load = async (): Promise<void> => {
    setBusy(true);
    setRead(await inspected.read(uri));
    inspected.seen(uri);
    setBusy(false);
  };
  const follow = async (isOn: boolean): Promise<void> => {
    try {
      await (isOn ? inspected.follow(uri) : inspected.unfollow(uri));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const outcome = read?.name === uri ? read.outcome : undefined;
  return (
    <>
      <div className="si-row">
        <Button className="button" isDisabled={isBusy} onPress={() => void load()}>
          {outcome ? "Read again" : "Read"}
        </Button>
        {shown.summary.capabilities.resources?.subscribe && (
          <ToggleButton
            className="button"
            isSelected={updates !== undefined}
            onChange={(isOn) => void follow(isOn)}
          >
            {updates === undefined ? "Subscribe" : "Subscribed"}
          </ToggleButton>
        )}
        <span role="status" className="si-row">
          {updates !== undefined && updates > 0 && (
            <span className="badge warn">
              changed {updates === 1 ? "once" : `${updates} times`} since you read it
            </span>
          )}
          {outcome && <span className="soft small">read in {duration(outcome.duration)}</span>}
        </span>
      </div>
      {(problem ?? outcome?.problem) !== undefined && (
        <p className="problem small" role="alert">
          {problem ?? outcome?.problem}
        </p>
      )}
      {outcome?.result !== undefined && <Contents result={outcome.result} />}
    </>
  );
}

function Contents({ result }: { result: unknown }) {
  const all = contentsOf(result);
  if (!all) return <Json value={result} label="The answer, which is no list of contents" />;
  if (all.length === 0) return <p className="soft">It is empty.</p>;
  // biome-ignore lint/suspicious/noArrayIndexKey: contents may have the same address, and never change.
  return all.map((contents, index) => <ResourceView key={index} contents={contents} />);
}
