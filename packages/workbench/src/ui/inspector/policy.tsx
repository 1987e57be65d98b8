/**
 * The policy of an app, its violations, and what to declare.
 *
 * @module
 */
import { CSP_FIELDS, type Narrowing } from "@vitrine/protocol";
import type { ViewPlace } from "@vitrine/wire";
import { Link } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import {
  declaredCsp,
  directivesOf,
  groupViolations,
  suggestedMeta,
  type ViolationGroup,
} from "../../model/diagnosis/csp-advice.js";
import { type Profile, SPEC } from "../../model/profiles/profile.js";
import { useObservable } from "../use-observable.js";
import { CopyButton } from "./fields.js";
import { count, moment } from "./format.js";
import { TextBlock } from "./text-block.js";

/** The current policy and its violations. */
export function PolicyTab({ app }: { app: AppModel }) {
  useObservable(app);
  useObservable(app.log);
  const { place } = app.source;
  if (!place) return <p className="in-none soft">This app is not shown, so it has no policy.</p>;
  const { profile } = app;
  const groups = groupViolations(app.log.violations, { profile, narrowed: place.narrowed });
  return (
    <div className="in-scroll">
      <Violations groups={groups} place={place} />
      <section className="in-section">
        <h3>Declared</h3>
        <Declared place={place} profile={profile} />
      </section>
      <section className="in-section">
        <h3>Policy in force</h3>
        <dl className="in-pairs">
          {directivesOf(place.policy).map(({ name, sources, meaning }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
                <span className="soft small"> {meaning}</span>
              </dt>
              <dd className="mono">{sources.join(" ")}</dd>
            </div>
          ))}
        </dl>
        <CopyButton label="Copy the policy" text={() => place.policy} />
      </section>
      {Object.keys(profile.sources).length > 0 && <OtherHost profile={profile} />}
    </div>
  );
}

function Violations({ groups, place }: { groups: readonly ViolationGroup[]; place: ViewPlace }) {
  const snippet = JSON.stringify({ _meta: { ui: suggestedMeta(place, groups) } }, undefined, 2);
  return (
    <section className="in-section">
      <h3>Blocked</h3>
      {groups.length === 0 && <p className="soft">Nothing was blocked.</p>}
      <ul className="in-cards">
        {groups.map((group) => (
          <li key={`${group.directive} ${group.blocked}`}>
            <p>
              <span className="badge warn">{count(group.count)} ×</span> <code>{group.directive}</code>{" "}
              blocked <code>{group.blocked}</code>
            </p>
            <p>{group.text}</p>
            <p className="soft small">
              first at {moment(group.firstAt)}
              {whereOf(group, place)}
            </p>
          </li>
        ))}
      </ul>
      {groups.some(({ remedy }) => remedy.kind === "declare") && (
        <>
          <p>This declaration in the resource allows everything that can be declared:</p>
          <TextBlock text={snippet} label="What to declare" />
          <CopyButton label="Copy the declaration" text={() => snippet} />
        </>
      )}
    </section>
  );
}

function Declared({ place, profile }: { place: ViewPlace; profile: Profile }) {
  const permissions = Object.keys(place.permissions);
  const rows: [name: string, values: readonly string[]][] = [
    ...CSP_FIELDS.map((field): [string, string[]] => [`csp.${field}`, declaredCsp(place)[field] ?? []]),
    [
      `blocked by the profile "${profile.title}"`,
      CSP_FIELDS.flatMap((field) => place.narrowed?.[field] ?? []),
    ],
    ["permissions granted", permissions],
    ["relaxed by the operator", place.relax],
  ];
  return (
    <dl className="in-pairs">
      {rows.map(([name, values]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd className="mono">
            {values.length > 0 ? values.join(" ") : <span className="soft">none</span>}
          </dd>
        </div>
      ))}
      <div>
        <dt>
          <code>origin</code>
        </dt>
        <dd className="mono">{place.viewOrigin}</dd>
      </div>
      {place.isolation && (
        <div>
          <dt>
            <code>isolation</code>
          </dt>
          <dd>{ISOLATION[place.isolation]}</dd>
        </div>
      )}
    </dl>
  );
}

/** The barrier between an app and other apps. */
const ISOLATION: Readonly<Record<NonNullable<ViewPlace["isolation"]>, string>> = {
  site: "A site of its own: its own storage, and a process of its own.",
  origin: "An origin of its own: its own storage. The browser is asked for a process of its own.",
  opaque:
    "No origin: no storage and no cookies, and only the clipboard of all permissions. It has a host or port of its own.",
  shared:
    "No origin: no storage and no cookies, and only the clipboard of all permissions. All apps share one host, and browsers may put them into one process: a busy app can stop the others.",
};

/** Restrictions beyond the declarations. */
const CLOSED: Readonly<Record<Narrowing, string>> = {
  "frame-domains": "everything in csp.frameDomains",
  "insecure-resources": "http:// origins in csp.resourceDomains, on this machine too",
};

/** Labels of profile fields. */
const FIELDS: Readonly<Partial<Record<keyof Profile, string>>> = {
  displayModes: "Display modes",
  abilities: "Abilities",
  maxWidth: "Width",
  maxHeight: "Height",
  context: "Host context",
  maxHeightOfWindow: "Height",
  narrow: "Blocked by its policy",
  allows: "Allowed by its policy",
};

/**
 * Differences of the imitated host. Its restrictions are enforced here, but its extra permissions are not.
 */
function OtherHost({ profile }: { profile: Profile }) {
  const { title, allows, narrow, sources } = profile;
  const fields = (Object.keys(FIELDS) as (keyof Profile)[]).filter(
    (field) => JSON.stringify(profile[field]) !== JSON.stringify(SPEC[field]),
  );
  return (
    <section className="in-section" aria-label="The imitated host">
      <h3>{title}</h3>
      <p className="soft">
        {allows || narrow.length > 0
          ? "How its policy differs from the specification's. Everything that it blocks is blocked here too; anything else that it allows is not allowed here:"
          : "No difference between its policy and the specification's is documented."}
      </p>
      {(allows || narrow.length > 0) && (
        <dl className="in-pairs">
          <Rules name="blocks" rules={narrow.map((each) => CLOSED[each])} />
          <Rules name="allows" rules={allows ?? []} />
        </dl>
      )}
      {fields.length > 0 && <p className="soft">Differences from the specification, with their sources:</p>}
      <ul className="in-cards">
        {fields.map((field) => {
          const source = sources[field];
          return (
            <li key={field}>
              <p>
                <strong>{FIELDS[field]}</strong>{" "}
                {source && <span className="soft small">read on {source.date}</span>}
              </p>
              {source?.note && <p>{source.note}</p>}
              {source && (
                <Link href={source.url} target="_blank" rel="noopener noreferrer">
                  {source.url}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Rules({ name, rules }: { name: string; rules: readonly string[] }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {rules.map((rule) => (
          <p key={rule}>{rule}</p>
        ))}
        {rules.length === 0 && <span className="soft">nothing else</span>}
      </dd>
    </div>
  );
}

/** The location of a violation: the app's own document has a meaningless address. */
function whereOf({ source, line }: ViolationGroup, { viewOrigin }: ViewPlace): string {
  const at = line === undefined ? "" : `line ${line} of `;
  return source === "" ? "" : `, in ${at}${source.startsWith(`${viewOrigin}/`) ? "the document" : source}`;
}
