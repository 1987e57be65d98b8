/**
 * Brings the document of a view back that had to make room for others in the sandbox.
 *
 * @module
 */

import type { Permission } from "@vitrine/protocol";
import { documentHash, replacedServer } from "@vitrine/servers";
import { GatewayError, type OpenedView } from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import type { AppOrigins } from "./app-origins.js";
import { prepareView } from "./prepare-view.js";

/** Problems that reading the document again cannot mend; all others are tried again. */
const LASTING: ReadonlySet<string> = new Set(["no-ui", "uri-invalid", "bad_resource"]);

/**
 * The view, with a place that can be shown. The same document gets its old address and the permissions that it had; another
 * one is another UI, and is prepared, and asked about, as if it were opened now.
 *
 * @throws what went wrong with the server; `view-unknown` for a document that has none
 */
export async function restoreView(
  origins: AppOrigins,
  find: (server: string) => GuardedServer,
  opened: OpenedView,
  signal: AbortSignal,
  found?: (uri: string) => void,
): Promise<OpenedView> {
  const { view, place, problem, uri, narrow } = opened;
  if (place ? await origins.has(place) : LASTING.has(`${problem?.code}`) || opened.server === "")
    return opened;
  if (opened.server === "") throw new GatewayError("view-unknown", "open the recording again");
  const at = find(opened.server);
  const { settings } = at.server;
  if (settings.identity !== opened.identity) throw replacedServer(opened.server);
  await at.server.start();
  const document = await at.server.document(uri);
  const permissions = Object.keys(place?.permissions ?? {}) as Permission[];
  // What the operator has denied since makes it another one, too.
  if (document.ok && place && !permissions.some((each) => at.guard.isDenied(view, each))) {
    const { html, meta } = document;
    const grant = (permission: Permission): boolean => permissions.includes(permission);
    const registration = { html, meta, relax: settings.relax, narrow, grant };
    // Metadata that cannot be in a policy is another document's: that one says so below.
    const again = await origins.register(settings, registration).catch(() => undefined);
    if (again?.src === place.src) return opened;
  }
  // Told before the person is asked about it: they may take their time, and should know.
  opened.hash = documentHash(document) ?? opened.hash;
  const tool = opened.tool?.name;
  const wanted = { ...(tool === undefined ? { uri } : { tool }), narrow };
  return prepareView(origins, view, at, wanted, signal, found);
}
