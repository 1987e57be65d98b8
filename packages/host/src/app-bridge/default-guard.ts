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
} from "@vitrine/guard";
import { addAppBox } from "../frame/page-layout.js";
import { askInPage } from "../frame/page-prompt.js";
import { type AppBridgeClient, sdkUpstream } from "./sdk-client.js";

/** The server of a client, with its guard. */
export interface ClientServer {
  upstream: Upstream;
  guard: Link | "behind-upstream";
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

/** The servers of clients, by their names: all apps of a server share its limits and the user's answers. */
const servers = new WeakMap<object, Map<string, ClientServer>>();

/** The server of a client, with the guard that its options describe. */
export function guardedServer(
  client: AppBridgeClient,
  server = client.getServerVersion?.()?.name ?? "server",
  guard?: Link | "behind-upstream" | GuardOptions,
): ClientServer {
  const named = servers.get(client) ?? new Map<string, ClientServer>();
  servers.set(client, named);
  const known = named.get(server);
  if (known && !guard) return known;
  const upstream = known?.upstream ?? sdkUpstream(client, server);
  if (guard) {
    const isWhole = typeof guard === "function" || typeof guard === "string";
    return { upstream, guard: isWhole ? guard : standardGuard(upstream, { ask, ...guard }) };
  }
  const guarded = { upstream, guard: standardGuard(upstream, { ask }) };
  named.set(server, guarded);
  return guarded;
}

/** The guard of a host that sets handlers. It has no list of tools, so its default are limits. */
export function guardAlone(
  upstream: Upstream,
  guard?: Link | "behind-upstream" | GuardOptions,
): Link | "behind-upstream" {
  if (typeof guard === "object") return standardGuard(upstream, { ask, ...guard });
  return guard ?? chain(limitRate(), limitSize(), limitConcurrency());
}
