/**
 * Converts errors of providers, the SDK and the network into a {@link ModelError}. The original errors
 * contain keys, headers, addresses and whole requests, and are not passed on.
 *
 * @module
 */

import { isRecord } from "@vitrine/protocol";
import { scrub, secondsToWait } from "@vitrine/servers/support";
import { ModelError, type ModelErrorCode } from "./model-error.js";

/** Codes of failed requests. Without its library, a model is never asked. */
type FailureCode = Exclude<ModelErrorCode, "model-not-installed">;

/** The request that failed. */
export interface FailureContext {
  readonly provider: string;
  readonly model: string;
  /** Never shown in a message, whatever its source. */
  readonly key?: string | undefined;
  /** Whether part of the answer had arrived. */
  readonly hasStarted: boolean;
  /** Whether the request contained pictures or PDFs. */
  readonly hasFiles: boolean;
}

/** Facts about a failure. */
interface Said {
  readonly status: number | undefined;
  /** The provider's error codes. */
  readonly words: string;
  /** The provider's message for users. */
  readonly text: string;
  readonly retryAfter: number | undefined;
}

/** Maximum length of a quoted message. */
const LONGEST = 300;
/** A shorter key may be part of any word, and cannot be removed from a text. */
const SHORT_KEY = 8;

/** Error codes of providers, the most specific first: a status alone says less. */
const WORDS: readonly (readonly [RegExp, FailureCode])[] = [
  [/api_?key|authenticat|unauthenticated|unauthorized|permission|forbidden/i, "model-unauthorized"],
  [/insufficient_quota|billing|credit/i, "model-no-credit"],
  [/rate_?limit|too_many|resource_?exhausted|quota/i, "model-rate-limited"],
  [/overload|unavailable|capacity/i, "model-overloaded"],
  [/not_?found/i, "model-unknown"],
  [
    /content_(filter|policy)|safety|context_length|too_(large|long)|invalid_(request|argument)/i,
    "model-refused",
  ],
];

const STATUSES: Readonly<Record<number, FailureCode>> = {
  400: "model-refused",
  401: "model-unauthorized",
  402: "model-no-credit",
  403: "model-unauthorized",
  404: "model-unknown",
  405: "model-unknown",
  408: "model-overloaded",
  413: "model-refused",
  422: "model-refused",
  429: "model-rate-limited",
  502: "model-overloaded",
  503: "model-overloaded",
  504: "model-overloaded",
  529: "model-overloaded",
};

/** Errors of the SDK for a response in an unexpected format. */
const UNREADABLE = /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody/;

/** A provider names what it does not read, and says so, each in its own words. */
const FILES = /image|picture|vision|multi-?modal|mmproj|pdf|file part/i;
const UNREAD =
  /not (?:a |an )?(?:support|multi|allow|accept|enabl)|n't (?:support|accept|have)|unsupported|only supported|missing|at most 0|unknown variant|no endpoints/i;
/** Servers of models that only read text describe the format they expect. */
const ONLY_TEXT = /content must be a string/i;

/** Whether the request failed because of its pictures or PDFs. */
function isAboutFiles(error: unknown, { status, text }: Said): boolean {
  if (error instanceof Error && error.name === "AI_UnsupportedFunctionalityError")
    return FILES.test(error.message);
  if (status === undefined || status === 401 || status === 403 || status === 429) return false;
  return ONLY_TEXT.test(text) || (FILES.test(text) && UNREAD.test(text));
}

/** Converts an error. */
export function failureOf(error: unknown, context: FailureContext): ModelError {
  if (error instanceof ModelError) return error;
  const said = readFailure(error);
  const isUnread = context.hasFiles && !context.hasStarted && isAboutFiles(error, said);
  const code = isUnread ? "model-no-files" : codeOf(error, said, context.hasStarted);
  const { status } = said;
  const message = sentence(code, said, networkCode(error), context);
  const mayWait = code === "model-rate-limited" || code === "model-overloaded";
  return new ModelError(code, message, {
    ...(status !== undefined && { status }),
    ...(mayWait && said.retryAfter !== undefined && { retryAfter: said.retryAfter }),
  });
}

function codeOf(error: unknown, { status, words }: Said, hasStarted: boolean): FailureCode {
  const name = error instanceof Error ? error.name : "";
  if (UNREADABLE.test(name)) {
    const isCut = error instanceof Error && /without a finish reason/.test(error.message);
    return isCut ? "model-cut-off" : "model-invalid";
  }
  // An answer that started has the status 200, so the connection broke.
  if (status !== undefined && status < 300) return "model-cut-off";
  // For an error response, codes count only if they fit the status: "not_found" of an error 500 is about
  // something else.
  const [, byWord] = WORDS.find(([pattern]) => pattern.test(words)) ?? [];
  if (byWord && (status === undefined || status < 500 || byWord === "model-overloaded")) return byWord;
  if (status !== undefined) return STATUSES[status] ?? "model-failed";
  if (networkCode(error)) return hasStarted ? "model-cut-off" : "model-unreachable";
  return "model-failed";
}

/** A message for the user: what happened, and what to do. */
function sentence(
  code: FailureCode,
  said: Said,
  network: string | undefined,
  context: FailureContext,
): string {
  const { provider, model, key } = context;
  const quote = quoted(said.text, key);
  const { status, retryAfter } = said;
  switch (code) {
    case "model-unknown":
      return `${provider} has no model ${model}, or its url is wrong (most end with /v1); choose another model, or correct the settings${quote}`;
    case "model-unreachable":
      return `${provider} cannot be reached (${network ?? "no answer"}); check that it is running, that its url is correct, and that the network works`;
    case "model-unauthorized":
      // Not quoted: providers show part of the key.
      return key === undefined
        ? `${provider} requires a key; add one to its settings as "key"`
        : `${provider} rejects the key; check that it is correct, and that it may use ${model}`;
    case "model-no-credit":
      return `the account at ${provider} has no credit left; add credit, or choose another model${quote}`;
    case "model-rate-limited":
      return `${provider} received too many requests; ${
        retryAfter === undefined ? "wait a while" : `wait ${Math.ceil(retryAfter / 1_000)} seconds`
      }, or choose another model${quote}`;
    case "model-overloaded":
      return `${provider} is overloaded; try again, or choose another model${quote}`;
    case "model-cut-off":
      return `the answer of ${provider} was cut off; try again`;
    case "model-invalid":
      return `${provider} sent an invalid answer; check that its url leads to an API of this provider's type`;
    case "model-no-files":
      return `${model} does not read a picture or PDF of this conversation; choose another model, or remove it from the message${quote}`;
    case "model-refused":
      return `${provider} rejects the request; start a new conversation if this one is long, or choose another model${quote}`;
    case "model-failed":
      return status !== undefined && status >= 300 && status < 400
        ? `${provider} redirects elsewhere (status ${status}); set its url to the new address`
        : `${provider} failed${status === undefined ? "" : ` (status ${status})`}; try again, or choose another model${quote}`;
  }
}

/** The provider's message on one line and without secrets; empty if they cannot be removed. */
function quoted(text: string, key: string | undefined): string {
  let shown = scrub(text.replace(/\s+/g, " ").trim());
  for (const form of key ? [key, encodeURIComponent(key)] : []) {
    if (form.length < SHORT_KEY && shown.includes(form)) return "";
    shown = shown.replaceAll(form, "[removed]");
  }
  if (shown === "") return "";
  return `; it says: ${shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown}`;
}

/** Reads an error of the SDK, or the object of an error event. */
function readFailure(error: unknown): Said {
  if (typeof error === "string") return { status: undefined, words: "", text: error, retryAfter: undefined };
  const fields = isRecord(error) ? error : {};
  const data = isRecord(fields["data"]) ? fields["data"] : {};
  const inner = [fields["error"], data["error"]].find(isRecord) ?? (fields["statusCode"] ? data : fields);
  const body = typeof fields["responseBody"] === "string" ? fields["responseBody"] : "";
  const codes = [fields["statusCode"], inner["status"], inner["code"]];
  const words = [inner["type"], inner["code"], inner["status"]].filter((each) => typeof each === "string");
  // Google reports INVALID_ARGUMENT for a wrong key; the reason is nested deeper.
  if (body.includes("API_KEY_INVALID")) words.push("API_KEY_INVALID");
  const message = inner["message"] ?? fields["message"];
  const status = codes.find((each) => typeof each === "number" && each >= 100 && each < 600);
  return {
    status: typeof status === "number" ? status : undefined,
    words: words.join(" "),
    // Any other message may contain anything.
    text: typeof message === "string" && (!(error instanceof Error) || body !== "") ? message : "",
    retryAfter: millisecondsToWait(fields["responseHeaders"], body),
  };
}

/** OpenAI sends a header in milliseconds, Google a field in the body; others use `Retry-After`. */
function millisecondsToWait(headers: unknown, body: string): number | undefined {
  const { "retry-after-ms": exact, "retry-after": usual } = isRecord(headers) ? headers : {};
  if (typeof exact === "string" && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  if (typeof usual === "string") return secondsToWait(usual, Date.now()) * 1_000;
  const [, seconds] = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}

/** The error code of the connection, from the system or the HTTP client, at any depth of causes. */
function networkCode(error: unknown): string | undefined {
  for (let each: unknown = error, depth = 0; isRecord(each) && depth < 6; each = each["cause"], depth++) {
    const { code, errors } = each;
    if (typeof code === "string" && /^(E[A-Z_]+|UND_ERR_[A-Z_]+|[A-Z_]*(CERT|SSL|TLS)[A-Z_]*)$/.test(code))
      return code;
    if (Array.isArray(errors) && errors.length > 0) {
      const inside = networkCode(errors[0]);
      if (inside) return inside;
    }
  }
  return undefined;
}
