/**
 * The targets that a link in a conversation may have.
 *
 * @module
 */

/** An address that a link may open. */
export interface LinkTarget {
  /** The address as the browser will open it. */
  readonly href: string;
  /** The host, with international names in ASCII; or the recipient of a mail. */
  readonly host: string;
}

/** Longest address: a longer one carries data rather than a name. */
const MOST = 4_000;

/** Reads an address; undefined unless it is `http:`, `https:` or `mailto:`. */
export function linkTarget(address: string): LinkTarget | undefined {
  const text = address.trim();
  if (text.length > MOST || !URL.canParse(text)) return undefined;
  const { protocol, host, href, pathname } = new URL(text);
  if (protocol === "mailto:") return { href, host: pathname };
  return (protocol === "https:" || protocol === "http:") && host !== "" ? { href, host } : undefined;
}

/** An address at the start of a text, with or without a scheme. */
const ADDRESS = /^\s*(?:https?:\/\/)?(?:[^\s/@]*@)?([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})(?=[/:?#\s]|$)/iu;

/**
 * Whether the text of a link looks like an address of another host than the one that it opens.
 */
export function looksLikeOther(text: string, { host }: LinkTarget): boolean {
  const [, named] = ADDRESS.exec(text.slice(0, MOST)) ?? [];
  if (named === undefined) return false;
  const bare = (name: string): string =>
    name
      .toLowerCase()
      .replace(/^www\./, "")
      .replace(/:\d+$/, "")
      .replace(/^.*@/, "");
  return bare(named) !== bare(host);
}
