/**
 * Reads all keys of a settings file that was parsed and merged.
 *
 * @module
 */
import { resolve } from "node:path";
import type { Isolation, ServerSettings } from "@vitrine/servers";
import type { GatewaySettings, UserSettings } from "./config.js";
import { isolation, type PathBases } from "./isolation-settings.js";
import { modelReader, modelSettings } from "./model-settings.js";
import { checkNodes, nodesReader } from "./node-settings.js";
import { flag, isObject, listOf, object, type Spot, type ValueReader } from "./reader.js";
import { referringText, type Sources } from "./references.js";
import { policy, readServer } from "./server-settings.js";
import {
  auditReader,
  conversationsReader,
  DEFAULTS,
  databaseReader,
  distinct,
  drainReader,
  limitsReader,
  listenReader,
  listenSettings,
  logReader,
  logSettings,
  metricsReader,
  name,
  retention,
  sandboxReader,
  sandboxSettings,
  sessionReader,
  usersReader,
} from "./top-settings.js";

/** Settings in the format of the file. */
export type WrittenSettings = Readonly<Record<string, unknown>>;

/** A part of a file that was skipped. */
export interface SkippedSetting {
  /** The server that was left out. */
  readonly server?: string | undefined;
  /** The location, the problem, and the fix, on one line. */
  readonly problem: string;
}

/** Keys of other programs in the same file. */
const IGNORED = ["$schema", "inputs", "globalShortcut", "preferences"];

/** Servers of the command line, and how servers of the file are treated. */
export interface MoreServers {
  readonly servers: readonly ServerSettings[];
  /** Isolation of programs where neither their own nor the global settings have a value. */
  readonly isolation?: Partial<Isolation> | undefined;
  /** Paths of keys that the file has twice. */
  readonly twice: ReadonlySet<string>;
  /** Gets what is skipped; without it, nothing is. */
  readonly onskip?: ((skipped: SkippedSetting) => void) | undefined;
}

/** Reads a whole file. Problems are added to `spot`. */
export function readWhole(
  whole: WrittenSettings,
  sources: Sources,
  bases: PathBases,
  dataFolder: string,
  more: MoreServers,
  spot: Spot,
): GatewaySettings | undefined {
  // Servers come last, because they depend on the global settings.
  const later: ValueReader<Record<string, unknown>> = (value, at) =>
    isObject(value) ? value : at.wrong("must be an object", 'write { "name": { "command": … } }');
  const read = object(
    {
      mcpServers: later,
      servers: later,
      isolation: isolation(bases, referringText(sources)),
      listen: listenReader(sources),
      users: usersReader(sources),
      admins: listOf(name),
      drain: drainReader,
      log: logReader,
      metrics: metricsReader(sources),
      sandbox: sandboxReader(sources),
      policy,
      strict: flag,
      audit: auditReader(sources, bases),
      conversations: conversationsReader,
      model: modelReader(sources),
      database: databaseReader(sources, bases),
      dataFolder: (value) => value,
      session: sessionReader,
      nodes: nodesReader(sources),
      limits: limitsReader,
    },
    IGNORED,
  )(whole, spot);
  if (!read) return undefined;

  const { servers: named, twice, onskip } = more;
  const { strict = false, users = [], audit = {}, session = {} } = read;
  const context = { sources, bases, isolation: read.isolation, unsaid: more.isolation, users: users.length };
  const servers: ServerSettings[] = [];
  const names: string[] = [];
  /** A problem of one server is a problem of the file, unless servers may be skipped. */
  const settle = (server: string, problems: readonly string[]): void => {
    if (!onskip) spot.problems.push(...problems);
    else for (const problem of problems) onskip({ server, problem });
  };
  for (const key of ["mcpServers", "servers"] as const) {
    for (const [each, value] of Object.entries(read[key] ?? {})) {
      const at = spot.at(key).at(each).apart();
      names.push(each);
      if (twice.has(at.path)) at.wrong("this name is used twice", "rename one of them");
      else if (name(each, at) !== undefined && !(isObject(value) && value["disabled"] === true)) {
        const server = readServer(each, value, at, context);
        if (server && at.problems.length === 0) servers.push(server);
      }
      settle(each, at.problems);
    }
  }
  servers.push(...named.map((server) => ({ ...server, trusted: server.trusted && !strict })));
  const unclear = spot.at("mcpServers").apart();
  // Each of these names has one problem.
  const left = distinct([...names, ...named.map((server) => server.name)], unclear);
  for (const [index, each] of left.entries()) settle(each, unclear.problems.slice(index, index + 1));

  const database = read.database ?? `sqlite:${resolve(dataFolder, "gateway.db")}`;
  checkNodes(read.nodes, { users, database }, spot);
  const listen = listenSettings(read.listen ?? {}, users, spot);
  return {
    servers: new Map(
      servers.filter(({ name: each }) => !left.includes(each)).map((server) => [server.name, server]),
    ),
    listen,
    admins: adminsOf(read.admins ?? [], users, spot),
    drain: { ...DEFAULTS.drain, ...read.drain },
    log: logSettings(read.log ?? {}, sources, spot),
    metrics: read.metrics ?? {},
    sandbox: sandboxSettings(read.sandbox ?? {}, listen, spot),
    policy: read.policy ?? {},
    strict,
    audit: {
      payloads: audit.payloads ?? "retries",
      redact: [...DEFAULTS.redact, ...(audit.redact ?? [])],
      retentionDays: retention(audit.retentionDays ?? DEFAULTS.auditDays),
      archive: audit.archive,
    },
    conversations: { retentionDays: retention(read.conversations?.retentionDays) },
    model: modelSettings(read.model ?? {}, sources, spot),
    database,
    dataFolder,
    limits: read.limits ?? {},
    session: {
      grace: session.grace ?? DEFAULTS.grace,
      perUser: session.perUser ?? DEFAULTS.perUser,
      ...(session.total !== undefined && { total: session.total }),
    },
    nodes: read.nodes,
  };
}

/** A name that is no user's may be a typo, or a user who was removed: nobody may get such rights by mistake. */
function adminsOf(admins: readonly string[], users: readonly UserSettings[], spot: Spot): readonly string[] {
  for (const [index, each] of admins.entries())
    if (!users.some((user) => user.name === each))
      spot
        .at("admins")
        .at(index)
        .wrong("there is no user of this name", "add the user to users, or remove it");
  return admins;
}
