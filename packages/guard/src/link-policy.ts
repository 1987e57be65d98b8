/**
 * Decides which links may be opened, and how to display them.
 *
 * @module
 */

/** A link that may be opened, if the user agrees. */
export interface WebLink {
  readonly ok: true;
  /** The normalized link: open this one. */
  readonly url: string;
  /** The host with its port, in punycode; for a mail, all recipients. Consent is for this. */
  readonly host: string;
  /** {@link host}, and its Unicode form if that differs: `xn--80ak6aa92e.com (аррӏе.com)`. Show all of it. */
  readonly display: string;
}

/** A link that may not be opened. */
export interface BadLink {
  readonly ok: false;
  readonly code: /** No absolute URL. */
    | "link-malformed"
    /** Neither http, https nor mailto. */
    | "link-scheme"
    /** Has a user name before the host, which looks like another host. */
    | "link-credentials"
    /** Longer than 8,000 characters. */
    | "link-too-long"
    /** A mail with fields that may do more than the user sees, such as an attachment. */
    | "link-mail-field";
  readonly message: string;
}

const MAX_LINK = 8000;

/**
 * Reads a link that a view asks to open. Never throws.
 *
 * @example
 * ```ts source="./links/guard.examples.ts#readLink"
 * const link = readLink("https://xn--80ak6aa92e.com/login");
 * const shown = link.ok ? `Open ${link.display}?` : link.message;
 * // "Open xn--80ak6aa92e.com (аррӏе.com)?", which is not apple.com
 * ```
 */
export function readLink(url: unknown): WebLink | BadLink {
  try {
    return read(url);
  } catch {
    return bad("link-malformed", "this is not a URL that can be opened");
  }
}

const bad = (code: BadLink["code"], message: string): BadLink => ({ ok: false, code, message });

function read(text: unknown): WebLink | BadLink {
  if (typeof text !== "string") throw 0;
  if (text.length > MAX_LINK) return bad("link-too-long", `the link is longer than ${MAX_LINK} characters`);
  // `mailto://a@b.example` has a host, but no recipient to show.
  if (!/^(https?:\/\/|mailto:)[^/]/i.test(text)) {
    return bad("link-scheme", "a link must begin with https://, http:// or mailto:");
  }
  // A URL parser removes tabs and converts backslashes: the shown link would differ from the opened one.
  if (/\p{C}|^[^?#]*\\/u.test(text)) throw 0;
  const url = new URL(text);
  if (url.protocol === "mailto:") return readMail(url);
  if (url.username || url.password || /^[^/?#]*@/.test(text.slice(text.indexOf("//") + 2))) {
    return bad("link-credentials", "a link must not have a user name before its host");
  }
  const { href, host } = url;
  const readable = unicodeHost(host);
  return { ok: true, url: href, host, display: readable === host ? host : `${host} (${readable})` };
}

function readMail(url: URL): WebLink | BadLink {
  const fields = [...url.searchParams];
  if (!fields.every(([name]) => /^(to|cc|bcc|subject|body)$/i.test(name))) {
    return bad("link-mail-field", "a mail may only have to, cc, bcc, subject and body");
  }
  const others = fields.filter(([name]) => /^(to|b?cc)$/i.test(name)).map(([, value]) => value);
  const host = [decodeURIComponent(url.pathname), ...others].filter(Boolean).join(", ");
  if (/[\p{C}]/u.test(host)) throw 0;
  return { ok: true, url: url.href, host: `mailto:${host}`, display: host || "mailto:" };
}

/** The Unicode form of a host, if it certainly is the same host. */
function unicodeHost(host: string): string {
  try {
    const readable = host.replace(/(?<![^.])xn--([^.:]+)/g, (_label, code: string) => decodePunycode(code));
    return new URL(`http://${readable}`).host === host ? readable : host;
  } catch {
    return host;
  }
}

/** RFC 3492. */
function decodePunycode(code: string): string {
  const dash = code.lastIndexOf("-");
  const points = [...code.slice(0, Math.max(0, dash))].map((char) => char.charCodeAt(0));
  let point = 128;
  let at = 0;
  let bias = 72;
  for (let index = dash + 1; index < code.length; ) {
    const before = at;
    for (let weight = 1, k = 36; ; k += 36) {
      const digit = Number.parseInt(code[index++] ?? "!", 36);
      // a–z are 0–25 and 0–9 are 26–35, unlike in base 36.
      const value = digit < 10 ? digit + 26 : digit - 10;
      at += value * weight;
      const threshold = Math.min(26, Math.max(1, k - bias));
      // Also for NaN at the end of the text: it fails below.
      if (!(value >= threshold)) break;
      weight *= 36 - threshold;
    }
    const count = points.length + 1;
    let delta = Math.floor((at - before) / (before ? 2 : 700));
    delta += Math.floor(delta / count);
    for (bias = 0; delta > 455; bias += 36) delta = Math.floor(delta / 35);
    bias += Math.floor((36 * delta) / (delta + 38));
    point += Math.floor(at / count);
    at %= count;
    points.splice(at++, 0, point);
  }
  return String.fromCodePoint(...points);
}
