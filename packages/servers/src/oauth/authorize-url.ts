/**
 * Checks the address where a user signs in. A server chooses it, and servers may lie.
 *
 * @module
 */

import { GatewayError } from "@vitrine/wire";
import { isLoopbackHost } from "../address.js";

/** Far above the length of any real address. */
const MAX_LENGTH = 8_000;

/**
 * Checks an address, and encodes it so that it is harmless in a page, in a terminal, and as an argument of a
 * program (CVE-2025-58444, CVE-2025-6514). Nothing is opened or started here.
 *
 * @param loopback whether the address may be on this machine, with plain http; only if the server itself may
 * be
 * @throws {GatewayError} `server-unauthorized`
 */
export function checkAuthorizeUrl(url: URL, { loopback }: { loopback: boolean }): string {
  const { protocol, hostname, username, password } = url;
  const isLocal = isLoopbackHost(hostname);
  const problem =
    protocol !== "https:" && !(protocol === "http:" && isLocal)
      ? "is neither https nor on this machine"
      : isLocal && !loopback
        ? "is on this machine, but the server is not"
        : username || password
          ? "contains a user name or password"
          : !/^([a-z0-9_.-]+|\[[0-9a-f:]+\])$/.test(hostname)
            ? "has no valid host"
            : url.href.length > MAX_LENGTH
              ? "is too long"
              : undefined;
  if (problem) throw new GatewayError("server-unauthorized", `the sign-in address ${problem}`);
  // Characters that are valid in URLs, except those with a meaning in shells and pages.
  return url.href.replace(
    /[^A-Za-z0-9\-._~:/?#@!&*+,;=%[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
