/**
 * Describes HTTP requests to a server and their answers, with secrets masked.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { SignInHeaders, WatchedExchange } from "@vitrine/wire";
import { membersOf } from "./answer-text.js";
import type { WireExchange } from "./http-tap.js";
import { codeOf } from "./oauth/recorded-exchange.js";
import { secretsIn } from "./oauth/settings-secrets.js";
import { isRandom, MASKED, SignInMask } from "./oauth/sign-in-mask.js";
import type { ServerSettings } from "./settings.js";
import { messageOf } from "./support/message-of.js";

/** Headers that are shown, beside those of a sign-in. All others may be secret, whatever their name. */
const OPEN_HEADERS = new Set([
  "accept-encoding",
  "accept-ranges",
  "content-security-policy",
  "host",
  "keep-alive",
  "mcp-name",
  "ratelimit",
  "ratelimit-limit",
  "ratelimit-policy",
  "ratelimit-remaining",
  "ratelimit-reset",
  "server-timing",
  "strict-transport-security",
  "traceparent",
  "x-accel-buffering",
  "x-content-type-options",
  "x-frame-options",
  "x-powered-by",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
]);
/** Headers whose first characters are shown: they tell sessions apart. */
const PARTLY_SHOWN = new Set(["mcp-session-id", "last-event-id"]);
/** The characters that are shown, and the least length of a value of which a part is shown. */
const SHOWN = 4;
const LEAST_PARTLY = 16;
const MOST_HEADERS = 60;
const MOST_HEADER = 1_000;
/** The least length of a hidden header that is searched for in other texts. */
const LEAST_HIDDEN = 8;
/** Characters of a request whose members are read. */
const MOST_READ = 1_000_000;
const MOST_NAME = 200;

/** An exchange as a page may show it, without what the page's session adds. */
export type MaskedExchange = Omit<WatchedExchange, "seq" | "by" | "trace">;

/** Masks an exchange. Each one has a mask of its own: nothing is kept. */
export function maskedExchange(exchange: WireExchange, { transport }: ServerSettings): MaskedExchange {
  const mask = new SignInMask();
  if (transport.type !== "stdio") for (const secret of secretsIn(transport)) mask.learn(secret);
  const { at, method, url, headers, body, response, failure, end } = exchange;
  // First, because an answer may repeat what a request has sent.
  for (const [name, value] of [...headers, ...(response?.headers ?? [])]) learn(mask, name, value);
  const type = response?.headers.find(([name]) => name === "content-type")?.[1] ?? null;
  const text = end?.error === undefined ? undefined : mask.body(end.error, type);
  return {
    at,
    request: { method, url: shownUrl(mask, url.href), headers: shownHeaders(mask, headers) },
    ...rpcOf(body),
    ...(response && {
      response: {
        status: response.status,
        headers: shownHeaders(mask, response.headers),
        duration: rounded(response.duration),
        ...(text && { body: text }),
      },
    }),
    ...(failure && {
      failure: { code: codeOf(failure.error), message: mask.text(messageOf(failure.error), 500) },
    }),
    ...(end && { end: { duration: rounded(end.duration), size: end.size, isWhole: end.isWhole } }),
  };
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const isShown = (mask: SignInMask, name: string): boolean =>
  OPEN_HEADERS.has(name) || PARTLY_SHOWN.has(name) || mask.isOpen(name);

/** Remembers a hidden header. */
function learn(mask: SignInMask, name: string, value: string): void {
  if (isShown(mask, name) && !PARTLY_SHOWN.has(name)) return;
  if (value.length >= LEAST_HIDDEN) mask.learn(value);
  // `Bearer …`, and `name=value; Path=/`.
  for (const part of value.split(/[\s;,]+/)) {
    const secret = part.slice(part.indexOf("=") + 1);
    for (const each of [part, secret]) if (each.length >= LEAST_HIDDEN) mask.learn(each);
  }
}

const shownHeaders = (mask: SignInMask, headers: WireExchange["headers"]): SignInHeaders =>
  headers
    .slice(0, MOST_HEADERS)
    .map(([name, value]) => [mask.text(name, 100), shownHeader(mask, name, value)]);

function shownHeader(mask: SignInMask, name: string, value: string): string {
  if (PARTLY_SHOWN.has(name))
    return value.length < LEAST_PARTLY
      ? MASKED
      : `${value.slice(0, SHOWN)}… ${MASKED} (${value.length} characters)`;
  if (name === "location" || (name === "mcp-name" && value.includes("://"))) return shownUrl(mask, value);
  return OPEN_HEADERS.has(name) ? mask.text(value, MOST_HEADER) : mask.header(name, value);
}

/** An address without secrets. Some services put a key into the path. */
function shownUrl(mask: SignInMask, address: string): string {
  const [, base = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(mask.url(address)) ?? [];
  const path = base.split("/").map((part) => (isRandom(part) ? MASKED : part));
  return `${path.join("/")}${rest}`;
}

/** The method and the id of the message that a request carries. */
function rpcOf(body: string): Pick<WatchedExchange, "rpc"> {
  if (body === "" || body.length > MOST_READ) return {};
  const members = membersOf(body);
  const at = (name: string): unknown => {
    const span = members?.get(name);
    return span && span[1] - span[0] <= MOST_NAME
      ? recordOf(JSON.parse(`{"it":${body.slice(...span)}}`))["it"]
      : undefined;
  };
  const [method, id] = [at("method"), at("id")];
  const rpc = {
    ...(typeof method === "string" && { method }),
    ...((typeof id === "string" || typeof id === "number") && { id }),
  };
  return Object.keys(rpc).length > 0 ? { rpc } : {};
}
