/**
 * Applies new settings to a running gateway.
 *
 * @module
 */
import { changedKeys } from "../config/changed-keys.js";
import type { GatewaySettings } from "../config/config.js";
import { conversationLimits, type GatewayParts } from "./parts.js";
import { forgetResults } from "./upkeep.js";

/** Settings that take effect at the next start. */
const AT_START = ["listen", "sandbox", "database", "dataFolder", "session", "nodes"] as const;

/** Changes servers, policies and users at once. Returns the names of settings that take effect at the next start. */
export function applySettings(parts: GatewayParts, settings: GatewaySettings): string[] {
  const before = parts.settings;
  const later = AT_START.filter((key) => withoutUsers(before[key]) !== withoutUsers(settings[key]));
  if (JSON.stringify(before.listen.users) !== JSON.stringify(settings.listen.users))
    updateUsers(parts, before.listen.users, settings.listen.users);
  parts.settings = settings;
  parts.log.level = settings.log.level;
  parts.auth.setMetricsHash(settings.metrics.tokenHash);
  forgetResults(parts);
  parts.disk.models.update(settings.model);
  parts.conversations.setLimits(conversationLimits(settings));
  void parts.disk.models.refresh();
  // Parts that need the identities wait until they are on disk: see `KnownServers.settled`.
  parts.names
    .take(settings.servers)
    .catch((error: unknown) =>
      parts.log.error({ err: error }, "the identities of servers could not be stored"),
    );
  const { added, changed, removed } = parts.pool.update(settings.servers);
  void parts.administration.setup?.loaded();
  for (const page of parts.pages.of()) {
    for (const name of [...added, ...changed]) page.moved(name);
    for (const name of removed) page.removed(name);
    // A page addresses its calls to the servers that it knows.
    for (const name of [...added, ...changed]) page.notifyServer(name);
    for (const name of [...added, ...changed, ...removed]) page.notify("gateway/changed", { server: name });
  }
  const keys = changedKeys(before, settings);
  parts.log.info(
    { settings: keys, added, changed, removed, later },
    keys.length > 0 ? "settings applied" : "settings read again: nothing changed",
  );
  return later;
}

type Users = GatewaySettings["listen"]["users"];

/** Ends the connections of users who were removed or have a new token. */
function updateUsers({ auth, pool, registry }: GatewayParts, before: Users, after: Users): void {
  auth.setUsers(after);
  pool.setUsers(after.map(({ name }) => name));
  for (const { name, tokenHash } of before)
    if (!after.some((user) => user.name === name && user.tokenHash === tokenHash)) registry.endUser(name);
}

/** Ignores users, who may change at any time. */
const withoutUsers = (settings: unknown): string =>
  JSON.stringify(settings, (key, value: unknown) => (key === "users" ? undefined : value));
