/**
 * Checks hosts as they are written in settings and addresses. Names are not resolved here.
 *
 * @module
 */
import { BlockList, isIP } from "node:net";
import { kindOfAddress } from "./addresses.js";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Removes the brackets that IPv6 addresses have in URLs. */
const bare = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** Whether only this machine can reach the host: `localhost`, its subdomains, and loopback addresses. */
export const isLoopbackHost = (host: string): boolean =>
  /^([a-z0-9-]+\.)*localhost$/i.test(host) ||
  (isIP(bare(host)) > 0 && loopback.check(bare(host), isIP(bare(host)) === 6 ? "ipv6" : "ipv4"));

/** Whether the host is this machine, or an address of a private network. */
export const isPrivateHost = (host: string): boolean =>
  isLoopbackHost(host) || kindOfAddress(bare(host)) === "private";
