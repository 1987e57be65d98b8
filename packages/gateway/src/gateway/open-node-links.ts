/**
 * Opens the path to other nodes.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { GatewayError, VITRINE_VERSION } from "@vitrine/wire";
import type { GatewaySettings, NodeSettings } from "../config/config.js";
import { placeOf } from "../config/node-settings.js";
import type { Log } from "../http/logging.js";
import { NodeLinks } from "../nodes/link/node-links.js";
import type { NodeIdentity } from "../store/owned-users.js";
import { sharedKey } from "../store/shared/shared-key.js";
import type { NodeOptions } from "./options.js";
import type { SharedState } from "./shared-state.js";

/** The secret of the nodes among the shared secrets, if the settings have none. */
const NODES_KEY = "shared/nodes";

/**
 * The settings of this node: from the settings file, and from the command line, which counts more.
 *
 * @throws {GatewayError} `config-invalid`
 */
export function nodeSettingsOf(
  { nodes, listen }: Pick<GatewaySettings, "nodes" | "listen">,
  options: NodeOptions | undefined,
): NodeSettings {
  const at = options?.listen === undefined ? nodes : placeOf(options.listen);
  if (!at)
    throw new GatewayError(
      "config-invalid",
      'other nodes need an address of this one: pass --node-listen host:port, or set "nodes.listen"',
    );
  if (listen.users.length === 0)
    throw new GatewayError(
      "config-invalid",
      'several nodes need "users" in the settings, each with a token: without users, each node makes a token of its own',
    );
  // The address in the settings belongs to the place in the settings.
  const address = options?.address ?? (options?.listen === undefined ? nodes?.address : undefined);
  if (address === undefined && /^(0\.0\.0\.0|::)$/.test(at.host))
    throw new GatewayError(
      "config-invalid",
      `other nodes cannot reach ${at.host}: pass --node-address host:port, as they reach this one`,
    );
  return { host: at.host, port: at.port, address, secret: nodes?.secret };
}

/** The listener for other nodes, and this node as they see it. */
export interface OpenedLinks {
  readonly links: NodeLinks;
  readonly identity: NodeIdentity;
}

/**
 * Opens the listener. It refuses operations until it is started.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function openNodeLinks(
  settings: Pick<GatewaySettings, "nodes" | "listen">,
  options: NodeOptions | undefined,
  { secrets, sandboxSecret }: Pick<SharedState, "secrets" | "sandboxSecret">,
  log: Log,
): Promise<OpenedLinks> {
  const nodes = nodeSettingsOf(settings, options);
  const secret = nodes.secret ?? (await sharedKey(secrets, NODES_KEY));
  const links = await NodeLinks.open({ ...nodes, secret, log });
  const shared = createHash("sha256").update(JSON.stringify(["vitrine nodes 1", secret, sandboxSecret]));
  const identity: NodeIdentity = {
    node: randomBytes(9).toString("base64url"),
    address: links.address,
    version: VITRINE_VERSION,
    fingerprint: shared.digest("hex").slice(0, 16),
  };
  return { links, identity };
}
