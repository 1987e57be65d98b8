/**
 * Keys from the cluster's secret, and TLS with them.
 *
 * Nodes have no certificates: both ends of a connection prove that they know the secret (TLS-PSK), and the
 * key exchange is ephemeral, so a secret that leaks later opens no recorded connection.
 *
 * @module
 */
import { hkdfSync } from "node:crypto";
import type { SecureVersion } from "node:tls";
import { GatewayError } from "@vitrine/wire";
import { MIN_SECRET_BYTES } from "../../config/node-settings.js";

/** Keys of the path between nodes. */
export interface NodeKeys {
  /** Authenticates connections. */
  readonly connection: Buffer;
  /** Signs operations. A separate key: neither use tells anything about the other. */
  readonly operation: Buffer;
}

/**
 * Derives the keys.
 *
 * @throws {GatewayError} `config-invalid` for a short secret
 */
export function nodeKeys(secret: string): NodeKeys {
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new GatewayError(
      "config-invalid",
      `the secret of the nodes must have at least ${MIN_SECRET_BYTES} bytes: make one with openssl rand -base64 32`,
    );
  }
  const derive = (label: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, "vitrine nodes", label, 32));
  return { connection: derive("connection"), operation: derive("operation") };
}

/** TLS 1.2, because Node's pre-shared keys are for TLS 1.2; with forward secrecy only. */
const TLS: { ciphers: string; minVersion: SecureVersion; maxVersion: SecureVersion } = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305:ECDHE-PSK-AES256-CBC-SHA384:ECDHE-PSK-AES128-CBC-SHA256",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
};
const IDENTITY = "vitrine-node";

/** TLS options of a node's listener. A client that does not know the secret fails in the handshake. */
export const tlsOfListener = ({ connection }: NodeKeys) => ({
  ...TLS,
  pskCallback: (_socket: unknown, identity: string): Buffer | null =>
    identity === IDENTITY ? connection : null,
  handshakeTimeout: 5000,
});

/** TLS options of a connection to another node. */
export const tlsOfClient = ({ connection }: NodeKeys) => ({
  ...TLS,
  pskCallback: () => ({ psk: connection, identity: IDENTITY }),
  // The pre-shared key proves who the other end is. There is no certificate whose name could be checked.
  checkServerIdentity: () => undefined,
  // Otherwise Node would take it from the `Host` of the forwarded request.
  servername: "",
});
