/**
 * The log, without secrets.
 *
 * @module
 */
import { REMOVED, scrub } from "@vitrine/servers/support";
import { type DestinationStream, type Logger, pino } from "pino";

/** A log for the parts of the gateway. */
export type Log = Logger;

/** Fields that are never logged, at any depth, ignoring case. */
const SECRET_NAMES = [
  ..."authorization cookie set-cookie x-api-key token access_token refresh_token id_token tokenHash".split(
    " ",
  ),
  ..."state secret client_secret clientSecret password key url query headers".split(" "),
];
const SECRET_FIELD = new RegExp(`^(code|${SECRET_NAMES.join("|")})$`, "i");
/** Error codes have this form; codes of links and of authorization servers do not. */
const ERROR_CODE = /^[a-z][a-z-]{1,40}$|^[A-Z][A-Z_0-9]{2,40}$/;

/** Removes secrets from a value, up to a limited depth. */
function clean(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return scrub(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return cleanError(value, depth);
  if (depth > 4) return REMOVED;
  if (Array.isArray(value)) return value.slice(0, 100).map((part) => clean(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      isSecret(name, part) ? REMOVED : clean(part, depth + 1),
    ]),
  );
}

const isSecret = (name: string, value: unknown): boolean =>
  SECRET_FIELD.test(name) &&
  !(name === "code" && (typeof value === "number" || ERROR_CODE.test(String(value))));

function cleanError(error: Error, depth: number): Record<string, unknown> {
  return {
    type: error.name,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ""),
    ...("code" in error ? { code: isSecret("code", error.code) ? REMOVED : error.code } : {}),
    ...(error.cause !== undefined && depth < 4 ? { cause: clean(error.cause, depth + 1) } : {}),
  };
}

/** Options of {@link createLog}. */
export interface LogOptions {
  /** `info` by default; `debug` adds a line for each request. */
  level?: "debug" | "info" | "warn" | "error" | "silent" | undefined;
  /** The destination; standard error by default, because standard output may carry a protocol. */
  stream?: DestinationStream | undefined;
}

/**
 * Creates a log of JSON lines with secrets removed.
 *
 * @example
 * ```ts source="./http.examples.ts#createLog"
 * const log = createLog({ level: "debug" });
 * log.info({ server: "weather" }, "started");
 * ```
 */
export function createLog({ level = "info", stream = pino.destination(2) }: LogOptions = {}): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => Object(clean(fields)),
      },
      // Formatters do not see the fields of a child logger; serializers do. An error is already clean.
      serializers: {
        ...Object.fromEntries(SECRET_NAMES.map((name) => [name, () => REMOVED])),
        err: (value) => value,
      },
      hooks: {
        logMethod(args, method) {
          const [first, ...rest] = args.map((part) => (typeof part === "string" ? scrub(part) : part));
          method.apply(this, [Object(first) === first ? Object(first) : String(first), ...rest.map(String)]);
        },
      },
    },
    stream,
  );
}
