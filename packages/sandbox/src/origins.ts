/**
 * The origins of the sandbox: two for each app, one for its proxy and one for its view.
 *
 * @module
 */
import { buildCsp, VitrineError } from "@vitrine/protocol";

/** The two pages of an app. */
export type Role = "proxy" | "view";

/** A page of an app. */
export interface SandboxPlace {
  role: Role;
  label: string;
}

const LETTER: Record<Role, string> = { proxy: "p", view: "v" };
const LABEL = "[a-z2-7]{26}";

/** Maps apps to origins. */
export interface Origins {
  /** The origin of one of an app's pages. */
  of(role: Role, label: string): string;
  /** The app of a `Host` header; undefined for an unknown name. */
  read(host: string | null): SandboxPlace | undefined;
  /** The only host of all apps, as in a `Host` header: then addresses name role and label in their path. */
  readonly onlyHost?: string | undefined;
  /** Called before an app's origins are first used. */
  prepare?(label: string): Promise<void>;
  /** Whether every label is a separate site, and so a separate process, by its name alone. */
  readonly ownSites: boolean;
  /** Whether apps share cookies, which ignore ports. */
  readonly shareCookies: boolean;
}

/**
 * Origins from a pattern with `{role}` and `{label}` in its host name: `http://{role}.{label}.localhost:8091`
 * or `https://{role}-{label}.apps.example.com`.
 */
export class PatternOrigins implements Origins {
  readonly #pattern: string;
  readonly #host: RegExp;
  readonly ownSites: boolean;
  readonly shareCookies = false;

  /** @throws {VitrineError} `invalid` for a pattern that does not separate apps */
  constructor(pattern: string) {
    const invalid = new VitrineError(
      "invalid",
      `the sandbox's origin must be like "https://{role}-{label}.apps.example.com", but is "${pattern}"`,
    );
    const [, scheme, name, port = ""] = /^(https?):\/\/([a-z0-9.{}-]+)(:\d+)?$/i.exec(pattern) ?? [];
    // Normalized like a browser's origin: otherwise it would never be equal to one.
    const host = name?.toLowerCase() ?? "";
    if (!scheme || !/^[^{}]*\{role\}[^{}]*\{label\}[^{}]*$/.test(host)) throw invalid;
    const example = fill(`${scheme}://${host}${port}`, "proxy", "a".repeat(26));
    // A name that a policy cannot contain would leave every view without an ancestor.
    const { rejected } = buildCsp(undefined, { frameAncestors: [example] });
    if (!URL.canParse(example) || rejected.length > 0) throw invalid;
    const { protocol, host: full, hostname } = new URL(example);
    // The default port of a scheme is neither in a Host header nor in an origin.
    const authority = host + full.slice(hostname.length);
    this.#pattern = `${protocol}//${authority}`;
    const escaped = authority.replaceAll(".", "\\.");
    this.#host = new RegExp(`^${escaped.replace("{role}", "([pv])").replace("{label}", `(${LABEL})`)}$`, "i");
    this.ownSites = /^\{role\}\.\{label\}\.localhost$/.test(host);
  }

  of(role: Role, label: string): string {
    return fill(this.#pattern, role, label);
  }

  read(host: string | null): SandboxPlace | undefined {
    const [, letter, label] = this.#host.exec(host ?? "") ?? [];
    if (!letter || !label) return undefined;
    return { role: roleOf(letter.toLowerCase()), label: label.toLowerCase() };
  }
}

/** All apps on one host: they have no origins then. */
export class OneHostOrigins implements Origins {
  readonly #origin: string;
  readonly onlyHost: string;
  readonly ownSites = false;
  readonly shareCookies = true;

  /** @throws {VitrineError} `invalid` for anything but an origin */
  constructor(origin: string) {
    const { rejected } = buildCsp(undefined, { frameAncestors: [origin] });
    const isOrigin = /^https?:/i.test(origin) && !origin.includes("*") && rejected.length === 0;
    if (!isOrigin || !URL.canParse(origin))
      throw new VitrineError(
        "invalid",
        `the sandbox's origin must be like "https://{role}-{label}.apps.example.com" or "https://sandbox.example.com", but is "${origin}"`,
      );
    const { origin: normal, host } = new URL(origin);
    this.#origin = normal;
    this.onlyHost = host;
  }

  of(): string {
    return this.#origin;
  }

  /** Only its paths tell pages apart: see {@link readPath}. */
  read(): undefined {}
}

/** The path of a page on the only host of all apps. */
export const pagePath = (role: Role, label: string, name: string): string =>
  `/${LETTER[role]}/${label}/${name}`;

/** The page of such a path. */
export function readPath(path: string): SandboxPlace | undefined {
  const [, letter, label] = new RegExp(`^/([pv])/(${LABEL})/`).exec(path) ?? [];
  return letter && label ? { role: roleOf(letter), label } : undefined;
}

const roleOf = (letter: string): Role => (letter === LETTER.proxy ? "proxy" : "view");

const fill = (pattern: string, role: Role, label: string): string =>
  pattern.replace("{role}", LETTER[role]).replace("{label}", label);
