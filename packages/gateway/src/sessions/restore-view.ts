/**
 * Restores a view after a reload of its page: the sandbox may have evicted its document, and permissions may
 * have been revoked.
 *
 * @module
 */

import { MAX_UI_BYTES } from "@vitrine/guard";
import { type Permission, readEmbeddedUi } from "@vitrine/protocol";
import { documentHash, replacedServer } from "@vitrine/servers";
import { GatewayError, type OpenedView } from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import type { AppOrigins } from "./app-origins.js";
import { prepareView } from "./prepare-view.js";

/** Problems that reading the document again cannot fix; all others are retried. */
const LASTING: ReadonlySet<string> = new Set(["no-ui", "uri-invalid", "bad-resource"]);

/**
 * The view, with an address that can be shown. The same document keeps its address and permissions. If the
 * document changed, or a permission was revoked or denied, the view is prepared like a new one, and the user is
 * asked again.
 *
 * @throws the error of the server; `view-unknown` for a document without a server
 */
export async function restoreView(
  origins: AppOrigins,
  find: (server: string) => GuardedServer,
  opened: OpenedView,
  signal: AbortSignal,
  found?: (uri: string) => void,
): Promise<OpenedView> {
  const { view, place, problem, uri, hash, narrow, dialects = [], result } = opened;
  const isKept = place ? await origins.has(place) : LASTING.has(`${problem?.code}`) || opened.server === "";
  const permissions = Object.keys(place?.permissions ?? {}) as Permission[];
  if (isKept && permissions.length === 0) return opened;
  if (opened.server === "") throw new GatewayError("view-unknown", "open the recording again");
  const at = find(opened.server);
  const { settings } = at.server;
  if (settings.identity !== opened.identity) throw replacedServer(opened.server);
  const granted = await Promise.all(permissions.map((each) => at.guard.isGranted(view, each, hash)));
  const isGranted = !granted.includes(false);
  if (isKept && isGranted) return opened;
  // Until the user has answered, the page must not show the app with its old permissions.
  if (!isGranted) opened.place = undefined;
  await at.server.start();
  const embedded = readEmbeddedUi(result, { maxBytes: MAX_UI_BYTES });
  const document = embedded?.uri === uri ? embedded.document : await at.server.document(uri);
  if (document.ok && place && isGranted) {
    const { html, meta } = document;
    const grant = (permission: Permission): boolean => permissions.includes(permission);
    const spoken = [...document.dialects, ...dialects];
    const registration = { html, meta, relax: settings.relax, narrow, dialects: spoken, grant };
    // If the new metadata is not valid in a policy, the document has changed: the code below reports that.
    const again = await origins.register(settings, registration).catch(() => undefined);
    if (again?.src === place.src) return opened;
  }
  // Set before the user is asked, who may take long.
  opened.hash = documentHash(document) ?? opened.hash;
  const tool = opened.tool?.name;
  const wanted = { ...(tool === undefined ? { uri } : { tool }), narrow, dialects, result };
  return prepareView(origins, view, at, wanted, signal, found);
}
