/**
 * The guard that a bridge has by default.
 *
 * @module
 */
import {
  type Ask,
  chain,
  type GuardOptions,
  type Link,
  limitConcurrency,
  limitRate,
  limitSize,
  standardGuard,
  type Upstream,
  writeAudit,
} from "@vitrine/guard";
import { addAppBox } from "../frame/page-layout.js";
import { askInPage } from "../frame/page-prompt.js";
import { type AppBridgeClient, sdkUpstream } from "./sdk-client.js";

/** The server of a client, with its guard. */
export interface ClientServer {
  upstream: Upstream;
  guard: Link | "behind-upstream";
  /** Ends a guard that no other bridge has. */
  release?: () => void;
}

const hasPage = typeof document !== "undefined";

/** Asks in the page, beside its frames: the pointer may be in any of them. */
const askBesideFrames: Ask = async (question, signal) => {
  const removals = [...document.querySelectorAll("iframe")].map(addAppBox);
  try {
    return await askInPage(question, signal);
  } finally {
    for (const remove of removals) remove();
  }
};
/** A program without a page asks nobody, so calls that need an approval are refused. */
const ask = hasPage ? askBesideFrames : undefined;

/** Starts to follow the pointer, which a question must know from before it is asked. */
export const trackPointer = (): void => {
  if (hasPage) addAppBox(document.documentElement)();
};

/** A server's upstream, and the guard of its bridges without options. */
interface SharedServer {
  upstream: Upstream;
  guard?: Link;
}

/** The servers of clients, by their names. */
const servers = new WeakMap<object, Map<string, SharedServer>>();

/**
 * The server of a client, with the guard that its options describe. Bridges share the upstream; those without options
 * share the guard too, so that all apps of a server have the same limits and the user's answers.
 */
export function guardedServer(
  client: AppBridgeClient,
  server = client.getServerVersion?.()?.name ?? "server",
  guard?: Link | "behind-upstream" | GuardOptions,
): ClientServer {
  const named = servers.get(client) ?? new Map<string, SharedServer>();
  servers.set(client, named);
  const known: SharedServer = named.get(server) ?? { upstream: sdkUpstream(client, server) };
  named.set(server, known);
  const { upstream } = known;
  if (typeof guard === "object") {
    const own = standardGuard(upstream, { ask, ...guard });
    return { upstream, guard: own, release: own.close };
  }
  return { upstream, guard: guard ?? (known.guard ??= standardGuard(upstream, { ask })) };
}

/** The guard of a host that sets handlers. It has no list of tools, so its default are limits. */
export function guardAlone(
  upstream: Upstream,
  guard?: Link | "behind-upstream" | GuardOptions,
): Link | "behind-upstream" {
  // Its upstream has no notifications, so there is nothing to release.
  if (typeof guard === "object") return standardGuard(upstream, { ask, ...guard });
  return guard ?? chain(limitRate(), limitSize(), limitConcurrency());
}

/** Guards messages that are not of the specification, which no policy knows: by the limits and the record of the host. */
export function guardOfExtensions(guard?: Link | "behind-upstream" | GuardOptions): Link {
  const { audit, rates, sizes, now }: GuardOptions = typeof guard === "object" ? guard : {};
  return chain(...(audit ? [writeAudit(audit, now)] : []), limitRate(rates, now), limitSize(sizes));
}
