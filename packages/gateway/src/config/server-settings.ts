/**
 * Parses a server of the settings file: the format of Claude Desktop, Cursor and VS Code, and Vitrine's own
 * keys.
 *
 * @module
 */
import {
  CONCURRENCY_LIMITS,
  type Decision,
  RATE_LIMITS,
  type RateLimits,
  type SizeLimits,
} from "@vitrine/guard";
import { HOST_END, PERMISSION_FEATURES, type Permission, type Relaxation } from "@vitrine/protocol";
import {
  type Isolation,
  identityOf,
  isLoopbackHost,
  isPrivateHost,
  type RemoteSettings,
  type ServerSettings,
  type StdioSettings,
} from "@vitrine/servers";
import { meant } from "@vitrine/servers/support";
import { INSPECTION } from "./inspection-methods.js";
import { ISOLATION, isolation, type PathBases, path } from "./isolation-settings.js";
import { enterpriseOf, oauth as oauthReader } from "./oauth-settings.js";
import { isPolicyKey } from "./policy-key.js";
import {
  count,
  either,
  flag,
  isObject,
  listOf,
  nameOf,
  object,
  oneOf,
  positive,
  recordOf,
  type Spot,
  size,
  text,
  time,
  type ValueReader,
} from "./reader.js";
import { referring, referringText, type Sources, withNamedSecrets } from "./references.js";

/** Default limits of a server, apart from the guard's. */
export const SERVER_LIMITS = { timeout: 60_000, startTimeout: 60_000, idle: 900_000, message: 64_000_000 };

const RELAXATIONS = Object.keys({
  "unsafe-eval": true,
  "wasm-unsafe-eval": true,
  "blob-workers": true,
  "blob-media": true,
  "data-fonts": true,
  "data-scripts": true,
} satisfies Record<Relaxation, true>) as Relaxation[];

/** Keys of other programs that can be ignored: descriptions, and approvals. */
const IGNORED = ["description", "autoApprove", "alwaysAllow", "gallery", "version", "dev"];

const METHODS = [
  ...Object.keys({ ...HOST_END.requests, ...HOST_END.notifications, ...INSPECTION }),
  "elicitation/create",
];
const decision = oneOf("allow", "ask", "deny");

/**
 * A policy key: a method, optionally with its target, optionally for one view. A typo would allow too much.
 */
const method: ValueReader<string> = (value, spot) => {
  const key = String(value);
  const [name = ""] = key.split(":");
  if (isPolicyKey(key, METHODS)) return key;
  if (METHODS.includes(name)) return spot.wrong("no call has this subject", `write "${name}" alone`);
  const fix = meant(name, METHODS) ?? 'write one such as "tools/call" or "ui/open-link"';
  return spot.wrong("unknown method", fix);
};

/** `{"tools/call": "ask", "tools/call:delete": "deny"}` */
export const policy: ValueReader<Record<string, Decision>> = recordOf(decision, method);

const rate = (value: unknown, spot: Spot): RateLimits[keyof RateLimits] | undefined => {
  const { burst, perSecond } = object({ burst: count(1), perSecond: positive })(value, spot) ?? {};
  if (burst !== undefined && perSecond !== undefined) return { burst, perSecond };
  if (isObject(value) && Object.keys(value).length < 2)
    spot.wrong("needs both burst and perSecond", "add what is missing");
  return undefined;
};

const each = <K extends string, T>(
  keys: readonly K[],
  reader: ValueReader<T>,
): ValueReader<{ [key in K]?: T }> => recordOf(reader, nameOf(...keys)) as ValueReader<{ [key in K]?: T }>;

const limits = object({
  sizes: object({
    params: recordOf(size, (value, spot) => (value === "*" ? "*" : method(value, spot))),
    result: size,
  }) satisfies ValueReader<Partial<SizeLimits>>,
  rates: each(Object.keys(RATE_LIMITS) as (keyof typeof RATE_LIMITS)[], rate),
  concurrency: each(Object.keys(CONCURRENCY_LIMITS) as (keyof typeof CONCURRENCY_LIMITS)[], count(1)),
  timeout: time,
  startTimeout: time,
  idle: time,
  message: size,
});

/** A root: its address, or an object with a name too. */
const root: ValueReader<{ uri: string; name?: string | undefined }> = (value, spot) => {
  const { uri, name } = isObject(value)
    ? (object({ uri: text, name: text })(value, spot) ?? {})
    : { uri: value };
  if (typeof uri === "string" && URL.canParse(uri)) return { uri, ...(typeof name === "string" && { name }) };
  return spot.wrong("must be the address of a root", 'write it like "file:///home/ann/project"');
};

const ours = {
  disabled: flag,
  start: oneOf("eager", "lazy"),
  stateless: flag,
  policy,
  idempotent: listOf(text),
  relax: listOf(oneOf(...RELAXATIONS)),
  roots: listOf(root),
  permissions: each(Object.keys(PERMISSION_FEATURES) as Permission[], decision),
  schemes: listOf((value, spot) =>
    typeof value === "string" && /^[a-z][a-z0-9+.-]*$/.test(value)
      ? value
      : spot.wrong("must be a scheme", 'write it like "mcp-app", in lower case and without "://"'),
  ),
  limits,
} as const;

const STDIO = ["command", "args", "env", "cwd", "isolation"];
const REMOTE = ["url", "headers", "oauth", "privateNetwork"];
const of = (keys: readonly string[], only: string) =>
  Object.fromEntries(
    keys.map((key): [string, ValueReader<never>] => [key, (_, spot) => spot.wrong(only, "remove it")]),
  );
const notRemote = of(STDIO, "is only for a server with a command, and this one has a url");
const notStdio = of(REMOTE, "is only for a server with a url, and this one has a command");

/** Settings that all servers of a file share. */
export interface ServerContext {
  sources: Sources;
  bases: PathBases;
  /** The isolation for all servers in the file. */
  isolation: Partial<Isolation> | undefined;
  /** The isolation if the file has none, neither for all servers nor for this one. */
  unsaid: Partial<Isolation> | undefined;
  /** The number of users in the file; 0 for a single user without a name. */
  users?: number | undefined;
}

/** Parses a server; undefined if there is a problem. */
export function readServer(
  name: string,
  value: unknown,
  spot: Spot,
  context: ServerContext,
): ServerSettings | undefined {
  if (!isObject(value)) return spot.wrong("must be an object", 'write { "command": … } or { "url": … }');
  const [hasCommand, hasUrl] = [value["command"] !== undefined, value["url"] !== undefined];
  if (hasCommand && hasUrl) return spot.wrong("has a command and a url", "remove one of them");
  if (!hasCommand && !hasUrl) {
    const hints = Object.keys(value).map((key) => meant(key, ["command", "url"]));
    return spot.wrong("has no command and no url", hints.find(Boolean) ?? "add one of them");
  }
  const read = hasUrl ? remote(value, spot, context) : stdio(value, spot, context);
  return read && { ...settings(name, read), identity: read.identity, transport: read.transport };
}

type Common = { [K in keyof typeof ours]?: (typeof ours)[K] extends ValueReader<infer T> ? T : never };

function settings(name: string, read: Common): Omit<ServerSettings, "transport" | "identity"> {
  const { sizes = {}, rates = {}, concurrency = {}, ...own } = read.limits ?? {};
  return {
    name,
    start: read.start ?? "lazy",
    stateless: read.stateless ?? false,
    trusted: false,
    policy: read.policy ?? {},
    idempotent: read.idempotent ?? [],
    relax: read.relax ?? [],
    ...(read.roots && { roots: read.roots }),
    permissions: read.permissions ?? {},
    schemes: read.schemes ?? [],
    limits: { ...SERVER_LIMITS, ...own, sizes, rates, concurrency },
  };
}

const variable: ValueReader<string> = (value, spot) =>
  typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)
    ? value
    : spot.wrong("names no variable", "use letters, digits and _, and no digit at the beginning");

function stdio(
  value: Record<string, unknown>,
  spot: Spot,
  { sources, bases, isolation: base, unsaid }: ServerContext,
) {
  const string = referring(sources);
  const folder = path(bases, referringText(sources));
  const count = spot.problems.length;
  const read = object(
    {
      ...ours,
      ...notStdio,
      type: oneOf("stdio"),
      // A plain name is found in the PATH; a path is used as such.
      command: either((written) => /^(\.{1,2}|~)\//.test(String(written)), folder, referringText(sources)),
      args: listOf(string),
      env: recordOf(
        either(
          (written) => typeof written === "number" || typeof written === "boolean",
          (plain) => String(plain),
          string,
        ),
        variable,
      ),
      cwd: folder,
      isolation: isolation(bases, referringText(sources)),
    },
    IGNORED,
  )(value, spot);
  if (!read?.command || spot.problems.length > count) return undefined;
  const { command, args = [], env = {}, cwd } = read;
  const closed = { ...ISOLATION, ...(base || read.isolation ? { ...base, ...read.isolation } : unsaid) };
  if (closed.driver === "container" && !closed.image)
    return spot.at("isolation").at("image").wrong("a container needs an image", "write its name");
  const transport: StdioSettings = {
    type: "stdio",
    command,
    args,
    env,
    cwd,
    folder: bases.start,
    isolation: closed,
  };
  // Without the values of secrets: the hash is stored, and a new token does not make a different server.
  const named = referring(withNamedSecrets(sources));
  const identity = identityOf({
    command,
    args: listOf(named)(value["args"] ?? [], spot.apart()) ?? args,
    folder: cwd ?? bases.start,
    env: recordOf(named)(value["env"] ?? {}, spot.apart()),
    isolation: closed,
  });
  return { ...read, transport, identity };
}

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const header: ValueReader<string> = (value, spot) =>
  typeof value === "string" && HEADER.test(value)
    ? value
    : spot.wrong("names no header", 'use letters, digits and "-"');

function remote(value: Record<string, unknown>, spot: Spot, { sources, bases, users = 0 }: ServerContext) {
  const string = referringText(sources);
  const count = spot.problems.length;
  const read = object(
    {
      ...ours,
      ...notRemote,
      type: oneOf("http", "streamable-http", "streamableHttp", "sse"),
      url: string,
      headers: recordOf((written, at) => {
        const resolved = referring(sources)(written, at);
        return resolved !== undefined && /[^\t -~\x80-\xff]/.test(resolved)
          ? at.wrong("is not valid in a header", "write one line, of Latin letters and signs")
          : resolved;
      }, header),
      oauth: oauthReader(bases, string),
      privateNetwork: flag,
    },
    IGNORED,
  )(value, spot);
  if (!read?.url || spot.problems.length > count) return undefined;
  const transport = address(read.url, read.privateNetwork, spot);
  if (!transport) return undefined;
  const { headers = {}, oauth } = read;
  const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (oauth && hasToken)
    return spot.at("oauth").wrong("there is an Authorization header already", "remove one of them");
  if (oauth && read.stateless)
    return spot
      .at("oauth")
      .wrong(
        "a stateless server is shared, so all users would act as the one who signs in",
        "remove oauth or stateless",
      );
  if (isObject(oauth) && oauth.clientSecret && !oauth.clientId)
    return spot.at("oauth").at("clientSecret").wrong("needs a clientId", "add it");
  const { enterprise: written, ...signIn } = isObject(oauth) ? oauth : {};
  const enterprise = written && enterpriseOf(written, signIn, users, spot.at("oauth").at("enterprise"));
  if (written && !enterprise) return undefined;
  const named = referringText(withNamedSecrets(sources))(value["url"], spot.apart());
  return {
    ...read,
    identity: identityOf({ url: named ?? transport.url, origin: new URL(transport.url).origin }),
    transport: {
      ...transport,
      type: read.type === "sse" ? ("sse" as const) : ("http" as const),
      headers,
      ...signIn,
      ...(enterprise && { enterprise }),
      ...(named !== undefined && named !== read.url && { hasSecretUrl: true }),
      oauth: isObject(oauth) || (oauth ?? !(hasToken || read.stateless)),
    },
  };
}

/** Parses the address of a server. Secrets in it are not shown. */
export function address(
  url: string,
  privateNetwork: boolean | undefined,
  spot: Spot,
): Pick<RemoteSettings, "url" | "privateNetwork"> | undefined {
  const at = spot.at("url");
  if (!URL.canParse(url)) return at.wrong("is not a URL", "write it like https://example.com/mcp");
  const { protocol, hostname, username, password, hash, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    return at.wrong("is not a web address", "begin it with https:// or http://");
  if (username || password) return at.wrong("contains a user name or password", "use headers for that");
  if (hash) return at.wrong("contains #", "remove it and everything after it");
  if (protocol === "http:" && !isLoopbackHost(hostname) && privateNetwork !== true)
    return at.wrong(
      "must be https, or an address of this machine",
      'write https://, or allow plain http with "privateNetwork": true',
    );
  return { url: href, privateNetwork: privateNetwork ?? isPrivateHost(hostname) };
}
