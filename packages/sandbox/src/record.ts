/**
 * The policy and the pages of a view, without its origins.
 *
 * @module
 */
import {
  acceptedCsp,
  asksForPermission,
  type Narrowing,
  narrowCsp,
  PERMISSION_FEATURES,
  type Permission,
  type Relaxation,
  type ResourceCsp,
  type ResourceMeta,
  type ViewDialect,
} from "@vitrine/protocol";
import { type PagePolicy, type Places, proxyHeaders, viewHeaders } from "./headers.js";
import { beforeDocument, beforeText, loaderPage, proxyPage, proxyScriptHash } from "./pages.js";

/** The operator's choices about a view. */
export interface ViewRules {
  /** The operator's relaxations for this server. */
  relax?: readonly Relaxation[] | undefined;
  /** Declared origins to block. */
  narrow?: readonly Narrowing[] | undefined;
  /**
   * Decides which requested permissions the view gets; none by default, and only `clipboardWrite` if
   * `opaque`.
   */
  grant?: ((permission: Permission) => boolean) | undefined;
  /**
   * Removes the view's origin: no storage, no cookies, and `null` for every server it calls. The default if
   * apps would share cookies: with a port per app instead of a name. Always so with one host for all apps.
   */
  opaque?: boolean | undefined;
}

/** The head of a record, as JSON, followed by the document, which need not be parsed to be served. */
export interface RecordHead extends PagePolicy {
  /** Whether the document comes by message. */
  waits: boolean;
  /** Whether it reports its console output. */
  console?: true;
  /** Dialects that are translated for it. */
  dialects?: readonly ViewDialect[];
  /** The only page that may show it. */
  host?: string;
  /** Whether the page made the address: then browsers keep nothing, because the address does not name this version. */
  fromPage?: true;
}

/** The policy of a view: what it declares, minus what the operator blocks. */
export interface ViewPolicy {
  policy: PagePolicy;
  narrowed: ResourceCsp;
  granted: readonly Permission[];
}

/**
 * Decides the policy of a view.
 *
 * @throws {VitrineError} `bad-resource` if the metadata declares values that a policy cannot contain; see `data`
 */
export function policyOf(meta: ResourceMeta, rules: ViewRules, opaque: boolean): ViewPolicy {
  const { relax = [], narrow = [], grant = () => false } = rules;
  const { csp, narrowed } = narrowCsp(acceptedCsp(meta.csp), narrow);
  const granted = (Object.keys(PERMISSION_FEATURES) as Permission[]).filter(
    (permission) =>
      asksForPermission(meta.permissions?.[permission]) &&
      // Browsers give an opaque origin no device access and no location, whatever its policy.
      (!opaque || permission === "clipboardWrite") &&
      grant(permission),
  );
  const features = granted.map((permission) => PERMISSION_FEATURES[permission]);
  return { policy: { csp, relax, features, opaque }, narrowed, granted };
}

/** A page of the sandbox. */
export interface Answer {
  body: string;
  headers: Record<string, string>;
}

/** Places of a view's pages, and the token that its proxy shares with the script before its document. */
export type PagePlaces = Places & { token: string };

/** The proxy page of a view. */
export async function proxyAnswer(head: RecordHead, places: PagePlaces, src: string): Promise<Answer> {
  const { features, opaque } = head;
  return {
    body: proxyPage({ ...places, src, allow: features.join("; "), opaque }),
    headers: { ...proxyHeaders(head, places, { script: await proxyScriptHash, src }), ...cachingOf(head) },
  };
}

/** The document of a view. */
export function viewAnswer(head: RecordHead, places: PagePlaces, html: string, later = false): Answer {
  const { proxy, token } = places;
  const view = { ...head, proxy, token, copy: head.features.includes("clipboard-write") };
  const before = later ? beforeText(view) : beforeDocument(html, view);
  return {
    body: head.waits ? loaderPage(view) : before + html,
    headers: { ...viewHeaders(head, places), ...cachingOf(head) },
  };
}

const cachingOf = ({ fromPage }: RecordHead): Record<string, string> =>
  fromPage ? { "cache-control": "no-store" } : {};
