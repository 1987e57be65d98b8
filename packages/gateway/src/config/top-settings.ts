/**
 * Parses the settings that are not about a server: listener, users, storage.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { VIEW_DIALECTS } from "@vitrine/protocol";
import { isLoopbackHost, type ProgramLimits } from "@vitrine/servers";
import type {
  AuditSettings,
  GatewaySettings,
  ListenSettings,
  LogSettings,
  SandboxSettings,
  UserSettings,
} from "./config.js";
import { type PathBases, path } from "./isolation-settings.js";
import {
  count,
  flag,
  listOf,
  object,
  oneOf,
  positive,
  type Spot,
  size,
  text,
  time,
  timeOrNone,
  type ValueReader,
} from "./reader.js";
import { referringText, type Sources } from "./references.js";

/** Default values. */
export const DEFAULTS = {
  host: "127.0.0.1",
  port: 8090,
  sandboxPort: 8091,
  drain: { time: 5000, delay: 0 },
  grace: 120_000,
  perUser: 32,
  /** A year, as PCI DSS and most audits require, and a month for the yearly audit to look back at all of it. */
  auditDays: 400,
  /** Always redacted, in addition to the operator's own names. */
  redact: ["password", "passphrase", "secret", "token", "authorization", "cookie", "apiKey", "api_key"],
} as const;

/** A database that exists only in memory. */
export const IN_MEMORY = "sqlite::memory:";

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Names of servers and users. They are compared exactly, and occur in addresses and file names. */
export const name: ValueReader<string> = (value, spot) =>
  typeof value === "string" && NAME.test(value) && !/^\.{1,2}$/.test(value)
    ? value
    : spot.wrong("is not a valid name", 'use 1 to 64 letters, digits, ".", "_" and "-", and not "." or ".."');

/** Reports names that differ only in case, and returns them. */
export function distinct(names: readonly string[], spot: Spot): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const each of names) {
    const other = seen.get(each.toLowerCase());
    if (other !== undefined) {
      found.push(each);
      spot
        .at(each)
        .wrong(
          other === each ? "this name is used twice" : `differs only in case from ${JSON.stringify(other)}`,
          "rename one of them",
        );
    }
    seen.set(each.toLowerCase(), each);
  }
  return found;
}

const port = count(0, 65_535);

const origin =
  (string: ValueReader<string>): ValueReader<string> =>
  (value, spot) => {
    const written = string(value, spot);
    if (written === undefined) return undefined;
    const url = URL.canParse(written) ? new URL(written) : undefined;
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
    return url && isSafe && url.origin === written.replace(/\/$/, "")
      ? url.origin
      : spot.wrong(
          "must be an origin",
          'write it like "https://gateway.example.com", without a path; http only on this machine',
        );
  };

export const listenReader = (sources: Sources) =>
  object({ host: text, port, origin: origin(referringText(sources)), allowRemote: flag });

/** Whether it is one host for all apps, which have no origins then. */
const isOneHost = (written: string): boolean =>
  /^https?:\/\/[^/{}*]+$/.test(written) && URL.canParse(written) && new URL(written).origin === written;

export const sandboxReader = (sources: Sources) =>
  object({
    host: referringText(sources),
    port,
    origin: (value, spot) => {
      const written = referringText(sources)(value, spot);
      if (written === undefined) return undefined;
      const isPattern = /^https?:\/\/[^/]*\{label\}[^/]*$/.test(written) && written.includes("{role}");
      return isPattern || isOneHost(written)
        ? written
        : spot.wrong(
            "must be a pattern, or one host",
            'write it like "https://{role}-{label}.apps.example.com", or "https://sandbox.example.com"',
          );
    },
    publicSuffix: flag,
    console: flag,
    dialects: listOf(oneOf(...VIEW_DIALECTS)),
  }) satisfies ValueReader<Partial<SandboxSettings>>;

/** A number of days, or `"forever"`, which is returned as infinity. */
const days: ValueReader<number> = (value, spot) => {
  if (value === "forever") return Number.POSITIVE_INFINITY;
  return typeof value === "string"
    ? spot.wrong("must be a number of days", 'write one above 0, without quotes, or "forever"')
    : positive(value, spot);
};

/** Days as in the settings: undefined means forever. */
export const retention = (read: number | undefined): number | undefined =>
  read === Number.POSITIVE_INFINITY ? undefined : read;

export const auditReader = (sources: Sources, bases: PathBases) =>
  object({
    payloads: oneOf("none", "retries", "arguments", "all"),
    redact: listOf(text),
    retentionDays: days,
    archive: path(bases, referringText(sources)),
  }) satisfies ValueReader<Partial<AuditSettings>>;

export const conversationsReader = object({ retentionDays: days });

const level = oneOf("debug", "info", "warn", "error", "silent");

export const logReader = object({ level, access: flag });

/** The settings of the log. The environment overrides the file, for a run in which somebody looks for a problem. */
export function logSettings(
  written: Partial<LogSettings>,
  { env }: Pick<Sources, "env">,
  spot: Spot,
): LogSettings {
  const wanted = env["VITRINE_LOG_LEVEL"];
  const forced = wanted ? level(wanted, spot.at("VITRINE_LOG_LEVEL")) : undefined;
  return { level: forced ?? written.level ?? "info", access: written.access ?? false };
}

/** The credential of a scraper: `tokenHash`, or `token` by reference. */
export const metricsReader =
  (sources: Sources): ValueReader<GatewaySettings["metrics"]> =>
  (value, spot) => {
    const read = object({ tokenHash: text, token: referringText(sources) })(value, spot);
    return read && { tokenHash: credential(read, spot) };
  };

export const drainReader = object({ time: timeOrNone, delay: timeOrNone });

export const limitsReader = object({
  processes: count(1),
  processesPerUser: count(1),
  memory: size,
  memoryPerUser: size,
}) satisfies ValueReader<ProgramLimits>;

export const sessionReader = object({ grace: time, perUser: count(1), total: count(1) });

/** The hash of a token, from either of two settings. */
function credential(read: { token?: string; tokenHash?: string }, at: Spot): string | undefined {
  if ("token" in read && "tokenHash" in read)
    return at.wrong("has a token and a tokenHash", "remove one of them");
  if (!("token" in read || "tokenHash" in read))
    return at.wrong("has no token and no tokenHash", "add one of them");
  if (read.token === undefined && read.tokenHash === undefined) return undefined;
  if (read.token !== undefined && read.token.length < 20)
    return at.at("token").wrong("is too easy to guess", "use at least 20 random characters");
  const tokenHash =
    read.tokenHash ??
    createHash("sha256")
      .update(read.token ?? "")
      .digest("hex");
  return /^[0-9a-f]{64}$/.test(tokenHash)
    ? tokenHash
    : at
        .at("tokenHash")
        .wrong("must be 64 digits from 0 to f", 'make it with printf %s "$TOKEN" | sha256sum');
}

/** `{name, tokenHash}`, or `{name, token}` with the token by reference. Only its hash is kept. */
export const usersReader =
  (sources: Sources): ValueReader<UserSettings[]> =>
  (value, spot) => {
    const users = listOf((each, at): UserSettings | undefined => {
      const read = object({ name, tokenHash: text, token: referringText(sources) })(each, at);
      if (!read) return undefined;
      // An invalid value was reported already.
      if (read.name === undefined) return "name" in read ? undefined : at.wrong("has no name", 'add "name"');
      const tokenHash = credential(read, at);
      return tokenHash === undefined ? undefined : { name: read.name, tokenHash };
    })(value, spot);
    if (users)
      distinct(
        users.map((user) => user.name),
        spot,
      );
    return users;
  };

/** An address other than loopback requires explicit permission and a credential. */
export function listenSettings(
  written: { host?: string; port?: number; origin?: string; allowRemote?: boolean },
  users: readonly UserSettings[],
  spot: Spot,
): ListenSettings {
  const { host = DEFAULTS.host, allowRemote = false } = written;
  if (!isLoopbackHost(host)) {
    const at = spot.at("listen").at("host");
    if (!allowRemote)
      at.wrong(
        "this address is reachable by others",
        'allow that with --allow-remote or "allowRemote": true',
      );
    if (!users.length) at.wrong("this address is reachable by others", "add users, each with a token");
  }
  return { host, port: written.port ?? DEFAULTS.port, origin: written.origin, allowRemote, users };
}

/** An address other than loopback requires the same permission as the gateway's own. */
export function sandboxSettings(
  written: Partial<SandboxSettings>,
  { allowRemote }: ListenSettings,
  spot: Spot,
): SandboxSettings {
  if (written.host !== undefined && !isLoopbackHost(written.host) && !allowRemote) {
    spot
      .at("sandbox")
      .at("host")
      .wrong("this address is reachable by others", 'allow that with "allowRemote": true in "listen"');
  }
  return { port: DEFAULTS.sandboxPort, publicSuffix: false, console: false, ...written };
}

/**
 * `sqlite:<file>`, `sqlite::memory:` or `postgres://…`. The address may contain a password, and is never
 * shown.
 */
export const databaseReader =
  (sources: Sources, bases: PathBases): ValueReader<string> =>
  (value, spot) => {
    const written = referringText(sources)(value, spot);
    if (written === undefined) return undefined;
    if (/^postgres(ql)?:\/\//.test(written) && URL.canParse(written)) return written;
    const [, file] = /^sqlite:(.+)$/.exec(written) ?? [];
    if (!file) return spot.wrong("names no database", 'write "sqlite:/path/to/file" or "postgres://…"');
    // SQLite's name of a database without a file.
    if (file === ":memory:") return IN_MEMORY;
    const absolute = path(bases)(file, spot);
    return absolute && `sqlite:${absolute}`;
  };

/** The default folder of the gateway's own files. */
export function defaultDataFolder(env: Sources["env"], home: string | undefined): string | undefined {
  const base = env["XDG_DATA_HOME"] || (home && join(home, ".local", "share"));
  return base && resolve(base, "vitrine");
}
