/**
 * The address of a view that a host page shows without a back end. Everything that the sandbox enforces is in
 * the address, so that the sandbox keeps nothing, and a navigation to another policy is a navigation to
 * another address, which the proxy's own policy blocks.
 *
 * @module
 */
import { buildCsp } from "./csp.js";
import { VIEW_DIALECTS, type ViewDialect } from "./dialects/view-dialects.js";
import { VitrineError } from "./errors.js";
import { PERMISSION_FEATURES, type Permission } from "./permissions.js";
import type { ResourceCsp } from "./ui-meta.js";

/** The contents of such an address. */
export interface PageView {
  /** The only page that may show it, in the form of a policy. */
  host: string;
  /** The digest of the server and its domain: apps with the same one share an origin. */
  app: string;
  /** The digest of the document, so that two documents have two addresses. */
  document: string;
  csp: ResourceCsp;
  /** The requested permissions. */
  permissions: readonly Permission[];
  /** The dialects to translate. */
  dialects?: readonly ViewDialect[] | undefined;
}

/** Letters of a label, as in host names. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
/** Distinguishes these addresses from those of registered views. */
const MARK = "-";
/** Servers limit the length of addresses; 8,000 characters are a common limit. */
const LONGEST = 7000;

/** A digest of 130 bits, as 26 letters. */
export async function pageViewDigest(...parts: readonly string[]): Promise<string> {
  // JSON separates the parts unambiguously.
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest.subarray(0, 26), (byte) => ALPHABET[byte & 31]).join("");
}

/**
 * The label of its origins. It contains the host page, so that no other page can show its own documents on
 * them.
 */
export const pageViewLabel = ({ host, app }: PageView): Promise<string> =>
  pageViewDigest("page view", host, app);

/** The name of its address; undefined if it would be too long. */
export function pageViewName(view: PageView): string | undefined {
  const { host, app, document, csp, permissions, dialects = [] } = view;
  const rest = dialects.length > 0 ? [dialects] : [];
  const text = btoa(JSON.stringify([host, app, document, csp, permissions, ...rest]));
  const name = MARK + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return name.length > LONGEST ? undefined : name;
}

/**
 * The address of the proxy page of such a view.
 *
 * @param sandbox the origins of the sandbox: with `{role}` and `{label}`, or one host for all apps
 * @throws {VitrineError} `bad-resource` for a view that declares too many origins for an address
 */
export async function pageViewAddress(sandbox: string, view: PageView): Promise<string> {
  const label = await pageViewLabel(view);
  const name = pageViewName(view);
  if (name === undefined)
    throw new VitrineError(
      "bad-resource",
      "the view declares too many origins for a page without a back end",
    );
  const { origin } = new URL(sandbox.replace("{role}", "p").replace("{label}", label));
  return origin + (/[{}]/.test(sandbox) ? `/${name}` : `/p/${label}/${name}`);
}

/** Whether a name is that of such an address. */
export const isPageViewName = (name: string): boolean => name.startsWith(MARK);

/** Reads a name, which anyone may have written; undefined if it is none. */
export function readPageViewName(name: string): PageView | undefined {
  if (name.length > LONGEST) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(atob(name.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
  if (!isPageViewName(name) || !Array.isArray(parts)) return undefined;
  const [host, app, document, csp, permissions, dialects = []]: unknown[] = parts;
  if (typeof host !== "string" || !isDigest(app) || !isDigest(document)) return undefined;
  const { accepted, rejected } = buildCsp(csp);
  if (rejected.length > 0 || !Array.isArray(permissions) || !Array.isArray(dialects)) return undefined;
  const known = (Object.keys(PERMISSION_FEATURES) as Permission[]).filter((each) =>
    permissions.includes(each),
  );
  const spoken = VIEW_DIALECTS.filter((each) => dialects.includes(each));
  return {
    host,
    app,
    document,
    csp: accepted,
    permissions: known,
    ...(spoken.length > 0 && { dialects: spoken }),
  };
}

const isDigest = (value: unknown): value is string =>
  typeof value === "string" && /^[a-z2-7]{26}$/.test(value);
