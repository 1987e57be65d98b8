/**
 * The servers that are inspected in this page. They stay while the page is open, whatever is shown.
 *
 * @module
 */
import { InspectedServer } from "../../model/server/inspected-server.js";
import { KeptAboutServer, type TextStore } from "../../model/server/kept-requests.js";
import type { Workbench } from "../../model/workbench.js";

const known = new WeakMap<Workbench, Map<string, InspectedServer>>();

/** Stores nothing, in a browser that forbids it. */
const NOWHERE: TextStore = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

function storage(): TextStore {
  try {
    return localStorage;
  } catch {
    return NOWHERE;
  }
}

/** The server of this name. Another server that takes the name is another one here too. */
export function inspectedServer(workbench: Workbench, name: string): InspectedServer {
  const servers = known.get(workbench) ?? new Map<string, InspectedServer>();
  known.set(workbench, servers);
  const key = workbench.servers.keyOf(name);
  const server =
    servers.get(key) ?? new InspectedServer(workbench.gateway, name, new KeptAboutServer(storage(), key));
  servers.set(key, server);
  return server;
}
