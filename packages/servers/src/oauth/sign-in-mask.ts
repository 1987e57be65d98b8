/**
 * Masks the secrets of a sign-in: tokens, codes, verifiers, client secrets, assertions and cookies.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { SignInBody, SignInHeaders } from "@vitrine/wire";

/** Replaces a secret. */
export const MASKED = "[masked]";

/** Characters of a string, of a body, and of a header. */
const MOST_STRING = 2_000;
const MOST_BODY = 16_000;
/** Characters of a text that is searched for secrets. */
const MOST_SEARCHED = 64_000;
const MOST_HEADER = 1_000;
const MOST_URL = 4_000;
const MOST_HEADERS = 60;
/** Entries of a list or an object, and their depth. */
const MOST_ENTRIES = 200;
const MOST_DEPTH = 12;
/** Secrets that are remembered, to find them in other texts, and the least length of one. */
const MOST_SECRETS = 200;
const LEAST_SECRET = 4;

/** Names of fields with secrets. */
const SECRET_NAMES = new Set([
  "code",
  "state",
  "session_state",
  "request",
  "response",
  "id_token_hint",
  "logout_token",
  "device_code",
  "user_code",
  "authorization",
  "auth_req_id",
  "otp",
  "pin",
  "sub",
]);
const SECRET_NAME =
  /(token|secret|password|passwd|passphrase|assertion|verifier|cookies?|ticket|credentials?|api[_-]?key|private[_-]?key|nonce)$/i;
/** Names of fields that look random and are no secrets. */
const OPEN_NAMES = new Set(["client_id", "code_challenge", "kid", "scope", "azp", "software_id"]);
/** Headers that are shown. All others may be secret, whatever their name. */
const OPEN_HEADERS = new Set([
  "accept",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "age",
  "allow",
  "cache-control",
  "connection",
  "content-encoding",
  "content-language",
  "content-length",
  "content-type",
  "date",
  "etag",
  "expires",
  "last-modified",
  "location",
  "mcp-method",
  "mcp-protocol-version",
  "pragma",
  "retry-after",
  "server",
  "transfer-encoding",
  "user-agent",
  "vary",
  "www-authenticate",
]);

const JWT = /\beyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*(?:\.[\w-]*){0,2}/g;
/** Long random text: letters and digits without spaces. */
export const isRandom = (text: string): boolean =>
  text.length >= 32 && /^[\w\-.~+/=]+$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text);

const isSecretName = (name: string): boolean =>
  SECRET_NAMES.has(name.toLowerCase()) || SECRET_NAME.test(name);

/** Masks the messages of one user at one server, and remembers their secrets, which other messages may repeat. */
export class SignInMask {
  #secrets: string[] = [];

  /** Masks this value wherever it occurs from now on. */
  learn(secret: string | null | undefined): void {
    if (!secret || secret.length < LEAST_SECRET) return;
    const forms = new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
    const fresh = [...forms].filter((form) => !this.#secrets.includes(form));
    // The longest first, because one may contain another.
    this.#secrets = [...this.#secrets, ...fresh].slice(-MOST_SECRETS).sort((a, b) => b.length - a.length);
  }

  /** A text without secrets, of a limited length. */
  text(text: string, limit = MOST_STRING): string {
    let clean = text.slice(0, MOST_SEARCHED);
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, MASKED);
    clean = clean
      .replace(JWT, MASKED)
      .replace(
        /\b(Bearer|Basic|DPoP)\s+(?!realm|error|scope|resource)[\w\-.~+/]{8,}=*(?![\w=])/gi,
        `$1 ${MASKED}`,
      );
    if (clean.length > limit) return `${clean.slice(0, limit)}… (${text.length} characters)`;
    // A secret at the cut would be shown in part.
    return text.length > MOST_SEARCHED ? MASKED : clean;
  }

  /** An address without user name, password and secret parameters. */
  url(address: string | URL): string {
    let url: URL;
    try {
      url = new URL(address);
    } catch {
      return this.text(`${address}`);
    }
    for (const each of [url.username, url.password]) this.learn(decode(each));
    [url.username, url.password] = ["", ""];
    const query = this.#params(url.searchParams);
    // Some servers answer in the fragment.
    const fragment = url.hash.includes("=")
      ? this.#params(new URLSearchParams(url.hash.slice(1)))
      : undefined;
    url.search = "";
    const base = url.href.replace(/#.*$/s, "").replace(/\?$/, "");
    const end = fragment === undefined ? this.text(url.hash) : `#${fragment}`;
    const shown = `${this.text(base)}${query === "" ? "" : `?${query}`}${end}`;
    return shown.length <= MOST_URL ? shown : `${shown.slice(0, MOST_URL)}… (${shown.length} characters)`;
  }

  headers(headers: Headers): SignInHeaders {
    return [...headers].slice(0, MOST_HEADERS).map(([name, value]) => [name, this.header(name, value)]);
  }

  /** A body of a request or an answer. */
  body(text: string, type: string | null): SignInBody | undefined {
    if (text === "") return undefined;
    if (/\bx-www-form-urlencoded\b/i.test(type ?? "")) return { kind: "form", text: this.#form(text) };
    const value = /\bjson\b/i.test(type ?? "") || /^\s*[[{]/.test(text) ? parsed(text) : undefined;
    if (value !== undefined) return { kind: "json", text: this.json(value) };
    const kind = (type ?? "").split(";")[0]?.trim() ?? "";
    if (/^text\/plain$/i.test(kind)) return { kind: "text", text: this.text(text, 500) };
    // A page may hold anything: hidden fields, links with codes.
    return {
      kind: "hidden",
      text: `${this.text(kind, 100) || "no content type"}, ${text.length} characters`,
    };
  }

  /** The JSON of a value without its secrets. */
  json(value: unknown): string {
    this.#learnFrom(value, 0);
    const text = JSON.stringify(this.#copy(value, "", 0)) ?? "null";
    return text.length <= MOST_BODY ? text : `${text.slice(0, MOST_BODY)}… (${text.length} characters)`;
  }

  #form(text: string): string {
    const fields: Record<string, string[]> = Object.create(null);
    for (const [name, value] of new URLSearchParams(text)) (fields[name] ??= []).push(value);
    return this.json(
      Object.fromEntries(
        Object.entries(fields).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
      ),
    );
  }

  /** Whether a header of this name is shown. */
  isOpen(name: string): boolean {
    return OPEN_HEADERS.has(name.toLowerCase());
  }

  /** The value of a header; that of `authorization` keeps its scheme. */
  header(name: string, value: string): string {
    const key = name.toLowerCase();
    if (key === "authorization") {
      const [scheme, credentials] = value.split(" ");
      this.learn(credentials);
      return credentials === undefined ? MASKED : `${this.text(scheme ?? "", 30)} ${MASKED}`;
    }
    if (!OPEN_HEADERS.has(key)) return MASKED;
    return key === "location" ? this.url(value) : this.text(value, MOST_HEADER);
  }

  /** Parameters with masked values, readable: a space is written as `+`. */
  #params(params: URLSearchParams): string {
    for (const [name, value] of params) if (isSecretName(name)) this.learn(value);
    return [...params]
      .map(([name, value]) => {
        const key = encodeURIComponent(this.#name(name));
        const shown = this.#leaf(name, value);
        return `${key}=${shown === MASKED ? MASKED : encodeURIComponent(shown).replaceAll("%20", "+").replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%5Bmasked%5D", MASKED)}`;
      })
      .join("&");
  }

  /** Remembers secrets before any text is masked: an earlier field may repeat a later one. */
  #learnFrom(value: unknown, depth: number): void {
    if (depth > MOST_DEPTH) return;
    if (Array.isArray(value))
      for (const item of value.slice(0, MOST_ENTRIES)) this.#learnFrom(item, depth + 1);
    else if (isRecord(value))
      for (const [name, item] of Object.entries(value).slice(0, MOST_ENTRIES)) {
        if (typeof item === "string" && isSecretName(name)) this.learn(item);
        this.#learnFrom(item, depth + 1);
      }
  }

  #copy(value: unknown, name: string, depth: number): unknown {
    if (typeof value === "string") return this.#leaf(name, value);
    if (typeof value !== "object" || value === null)
      return isSecretName(name) && typeof value !== "boolean" && value !== null ? MASKED : value;
    if (depth > MOST_DEPTH) return "[left out]";
    // Keys are long, and may be private.
    if (name === "jwks" || name === "keys" || isSecretName(name)) return MASKED;
    if (Array.isArray(value))
      return value.slice(0, MOST_ENTRIES).map((item) => this.#copy(item, name, depth + 1));
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, MOST_ENTRIES)
        .map(([key, item]) => [this.#name(key), this.#copy(item, key, depth + 1)]),
    );
  }

  /** The name of a field. Ordinary words are shown, even if a short secret is one of them. */
  #name(name: string): string {
    return name.length < 32 && /^[a-z]+(_[a-z0-9]+)*$/i.test(name) ? name : this.text(name, 100);
  }

  #leaf(name: string, value: string): string {
    if (value === "") return value;
    if (isSecretName(name) || (isRandom(value) && !OPEN_NAMES.has(name) && !isAddress(value))) {
      this.learn(value);
      return MASKED;
    }
    return this.text(value);
  }
}

const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
