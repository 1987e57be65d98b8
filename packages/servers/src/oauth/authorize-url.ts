/**
 * The address that a person is sent to, to sign in. A server chooses it, and servers lie.
 *
 * @module
 */

import { GatewayError } from "@vitrine/wire";
import { isLoopbackHost } from "../address.js";

/** No address of an authorization server comes near. */
const MAX_LENGTH = 8_000;

/**
 * Checks an address, and writes it so that it is harmless wherever it ends up: in a page, in a terminal, or in a program
 * that somebody starts with it (CVE-2025-58444, CVE-2025-6514). Here it is only handed out; nothing is opened or started.
 *
 * @param loopback may it be on this machine, and plain http there? Only if the server itself may be.
 * @throws {GatewayError} `server-unauthorized`
 */
export function checkAuthorizeUrl(url: URL, { loopback }: { loopback: boolean }): string {
  const { protocol, hostname, username, password } = url;
  const isLocal = isLoopbackHost(hostname);
  const problem =
    protocol !== "https:" && !(protocol === "http:" && isLocal)
      ? "is neither https nor on this machine"
      : isLocal && !loopback
        ? "is on this machine, and the server is not"
        : username || password
          ? "has a name or password in it"
          : !/^([a-z0-9_.-]+|\[[0-9a-f:]+\])$/.test(hostname)
            ? "has no proper host"
            : url.href.length > MAX_LENGTH
              ? "is too long"
              : undefined;
  if (problem) throw new GatewayError("server-unauthorized", `the address to sign in at ${problem}`);
  // What URLs may contain, without what shells and pages read as their own.
  return url.href.replace(
    /[^A-Za-z0-9\-._~:/?#@!&*+,;=%[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
