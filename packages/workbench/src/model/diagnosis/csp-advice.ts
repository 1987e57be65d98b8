/**
 * Explains policy violations of an app, with solutions for its author.
 *
 * @module
 */
import {
  buildCsp,
  CSP_FIELDS,
  NARROWINGS,
  type Narrowing,
  narrowCsp,
  type Relaxation,
  type ResourceCsp,
} from "@vitrine/protocol";
import type { ViewPlace } from "@vitrine/wire";
import type { LoggedViolation } from "../app/app-log.js";
import { NARROW_HOSTS, type Profile, SPEC } from "../profiles/profile.js";

/** How to allow it: a declaration of the app, a setting of the operator, another host, or only a rewrite. */
export type Remedy =
  | { readonly kind: "declare"; readonly field: keyof ResourceCsp; readonly value: string }
  | { readonly kind: "relax"; readonly relaxation: Relaxation }
  | { readonly kind: "profile"; readonly narrowing: Narrowing }
  | { readonly kind: "rewrite" };

/** Advice on a blocked request. */
export interface CspAdvice {
  readonly remedy: Remedy;
  /** A sentence or two for the app's author. */
  readonly text: string;
}

/** Origins that the app's profile blocks although they are declared. */
export interface Closing {
  readonly profile: Profile;
  readonly narrowed?: ResourceCsp | undefined;
}

/** Equal violations, with their count. */
export interface ViolationGroup extends CspAdvice {
  readonly directive: string;
  /** From the app: untrusted text. */
  readonly blocked: string;
  readonly count: number;
  /** The first source location, if the browser reports it: the URL of a script or document, and its line. */
  readonly source: string;
  readonly line: number | undefined;
  /** Milliseconds since the app was opened. */
  readonly firstAt: number;
}

/** Description of each policy directive. */
export const DIRECTIVES: Readonly<Record<string, string>> = {
  "default-src": "everything without a directive of its own",
  "script-src": "scripts, and whether text may be run as code",
  "style-src": "style sheets",
  "img-src": "pictures",
  "media-src": "sound and video",
  "font-src": "fonts",
  "connect-src": "connections: fetch, XMLHttpRequest, WebSocket, EventSource",
  "frame-src": "frames inside of the app",
  "base-uri": "targets of <base href>",
  "worker-src": "workers",
  "object-src": "plugins",
  "form-action": "where forms may be sent",
  "frame-ancestors": "the pages that may show the app",
  "manifest-src": "web app manifests",
};

const FIELDS: readonly [directives: RegExp, field: keyof ResourceCsp, what: string][] = [
  [/^connect-src$/, "connectDomains", "connect to"],
  [/^(script|style|img|media|font)-src/, "resourceDomains", "load from"],
  [/^(frame|child)-src$/, "frameDomains", "show a frame of"],
  [/^base-uri$/, "baseUriDomains", "use as its base"],
];

/**
 * Relaxations that only the operator can grant, by directive and blocked value, with an alternative for the
 * author.
 */
const RELAXATIONS: readonly [directive: RegExp, blocked: RegExp, relaxation: Relaxation, instead: string][] =
  [
    [
      /^script-src/,
      /^eval$/,
      "unsafe-eval",
      "Libraries that only probe for eval, such as zod, work without it: if the app works, there is nothing to do. Otherwise use code that needs no eval or new Function",
    ],
    [/^script-src/, /^wasm-eval$/, "wasm-unsafe-eval", "Use plain JavaScript in place of WebAssembly"],
    [/^script-src/, /^data\b/, "data-scripts", "Put the script into the document"],
    [/^worker-src/, /^blob\b/, "blob-workers", "Do the work in the document"],
    [/^worker-src/, /^data\b/, "data-scripts", "Do the work in the document"],
    [/^(img|media)-src/, /^blob\b/, "blob-media", "Use data: URLs"],
    [/^font-src/, /^data\b/, "data-fonts", "Load the font from a declared domain"],
  ];

const REWRITES: readonly [directive: RegExp, text: string][] = [
  [/^form-action$/, "No app may send forms. Handle the submit event, and call a tool of your server."],
  [/^object-src$/, "No app may use plugins. Use <img>, <video> or a script."],
  [/^manifest-src$/, "An app has no web app manifest. Remove the link."],
  [/^worker-src/, "Workers cannot be declared. Do the work in the document."],
  [/^frame-ancestors$/, "Only the host may show an app."],
];

/** Solutions for restrictions of a stricter host. */
const NARROWED: Readonly<Record<Narrowing, string>> = {
  "frame-domains": "Draw it in the app itself, or open the page with ui/open-link",
  "insecure-resources": "Serve it over https, or put it into the document",
};

/** Advice on a blocked request. */
export function adviceOn(
  directive: string,
  blocked: string,
  isOfFrame = false,
  closing?: Closing,
): CspAdvice {
  const rewrite = (text: string): CspAdvice => ({ remedy: { kind: "rewrite" }, text });
  if (isOfFrame)
    return rewrite("An app cannot leave its own document. To open a page, ask the host with ui/open-link.");
  const relaxed = RELAXATIONS.find(([directives, what]) => directives.test(directive) && what.test(blocked));
  if (relaxed) {
    const [, , relaxation, instead] = relaxed;
    const text = `No declaration of an app allows this. ${instead}; or the operator adds "${relaxation}" to the server's "relax" setting, here and in every other host.`;
    return { remedy: { kind: "relax", relaxation }, text };
  }
  const other = REWRITES.find(([directives]) => directives.test(directive));
  if (other) return rewrite(other[1]);
  const [, field, what] = FIELDS.find(([directives]) => directives.test(directive)) ?? [];
  const origin = originOf(blocked);
  if (!field || !origin)
    return rewrite(`No declaration allows ${blocked || "this"} under ${directive}. Do without it.`);
  const closed = closing && closedBy(closing, field, origin);
  if (closed) return closed;
  const { accepted, rejected } = buildCsp({ [field]: [origin] });
  const value = accepted[field]?.[0];
  if (value === undefined) return rewrite(`It cannot be declared: ${origin} ${rejected[0]?.reason}.`);
  return {
    remedy: { kind: "declare", field, value },
    text: `To ${what} ${value}, declare it in csp.${field} of the resource's _meta.ui.`,
  };
}

/** It is declared, but the profile blocks it. */
function closedBy(
  { profile, narrowed }: Closing,
  field: keyof ResourceCsp,
  origin: string,
): CspAdvice | undefined {
  const source = narrowed?.[field]?.find((each) => covers(each, origin));
  if (source === undefined) return undefined;
  const narrowing = NARROWINGS.find((each) => narrowCsp({ [field]: [source] }, [each]).narrowed[field]);
  if (!narrowing) return undefined;
  const others = NARROW_HOSTS.filter(({ id, narrow }) => id !== profile.id && narrow.includes(narrowing));
  const as = others.length > 0 ? `, as ${others.map(({ title }) => title).join(", ")} does` : "";
  return {
    remedy: { kind: "profile", narrowing },
    text: `csp.${field} declares ${source}, but the profile "${profile.title}" blocks it anyway${as}. ${NARROWED[narrowing]}; to see the app without that limit, choose the profile "${SPEC.title}".`,
  };
}

/** Whether a policy source, as written by `buildCsp`, covers an origin. */
function covers(source: string, origin: string): boolean {
  const { protocol, host } = new URL(origin);
  const [scheme = "", name = ""] = source.split("://");
  // As in browsers, a source with http also allows https.
  if (protocol !== `${scheme}:` && `${scheme}s:` !== protocol) return false;
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}

/** The origin of an address; undefined for `data`, `inline` and similar. */
function originOf(blocked: string): string | undefined {
  const { protocol = "", host = "" } = URL.canParse(blocked) ? new URL(blocked) : {};
  return /^(https?|wss?):$/.test(protocol) ? `${protocol}//${host}` : undefined;
}

/** Groups violations, in the order of their first occurrence. */
export function groupViolations(violations: readonly LoggedViolation[], closing?: Closing): ViolationGroup[] {
  const groups = new Map<string, ViolationGroup>();
  for (const { at, directive, blocked, report } of violations) {
    // A violation of the sandbox's own frame: the app tried to navigate away.
    const isOfFrame = report.by !== "view" && directive === "frame-src";
    const key = `${directive} ${originOf(blocked) ?? blocked} ${isOfFrame}`;
    const known = groups.get(key);
    const { source, line } = report as { source?: unknown; line?: unknown };
    groups.set(
      key,
      known
        ? { ...known, count: known.count + 1 }
        : {
            ...adviceOn(directive, blocked, isOfFrame, closing),
            directive,
            blocked,
            count: 1,
            source: typeof source === "string" ? source : "",
            line: typeof line === "number" && line > 0 ? line : undefined,
            firstAt: at,
          },
    );
  }
  return [...groups.values()];
}

/** The app's declarations: allowed ones, and those that its profile blocks. */
export function declaredCsp({ csp, narrowed = {} }: Pick<ViewPlace, "csp" | "narrowed">): ResourceCsp {
  const fields = CSP_FIELDS.map(
    (field) => [field, [...(csp[field] ?? []), ...(narrowed[field] ?? [])]] as const,
  );
  return Object.fromEntries(fields.filter(([, sources]) => sources.length > 0));
}

/** `_meta.ui` of the resource, with all missing declarations added. */
export function suggestedMeta(
  place: Pick<ViewPlace, "csp" | "narrowed" | "permissions" | "prefersBorder">,
  advice: readonly CspAdvice[],
): { csp: ResourceCsp } & Record<string, unknown> {
  const csp = declaredCsp(place);
  for (const { remedy } of advice) {
    if (remedy.kind !== "declare") continue;
    const { field, value } = remedy;
    csp[field] = [...new Set([...(csp[field] ?? []), value])];
  }
  const { permissions, prefersBorder } = place;
  return {
    csp,
    ...(Object.keys(permissions).length > 0 && { permissions }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
}

/** A policy by directive. */
export const directivesOf = (policy: string): { name: string; sources: string[]; meaning: string }[] =>
  policy
    .split(";")
    .map((part) => part.trim().split(/\s+/))
    .filter(([name]) => name)
    .map(([name = "", ...sources]) => ({ name, sources, meaning: DIRECTIVES[name] ?? "" }));
