/**
 * The gateway's own `Host` and `Origin` values. All others are rejected (DNS rebinding).
 *
 * @module
 */
import { isIP } from "node:net";
import { GatewayError } from "@vitrine/wire";

/** Names of this machine that no other site's DNS can claim. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Whether an address can be reached from this machine only. */
export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));

/** The names of the gateway. */
export interface HostNames {
  /** The origin for browsers, which the one-time link leads to. */
  readonly origin: string;
  /** Each valid `Host`, with the `Origin` of the pages that it serves. */
  readonly hosts: ReadonlyMap<string, string>;
}

/**
 * The names of a listener. The origin is derived from the *address*, not from `localhost`: that name may lead
 * a browser to `::1`, where another program may wait for a one-time link.
 *
 * @throws {GatewayError} `config-invalid`
 */
export function hostNamesOf(listen: { host: string; port: number; origin?: string | undefined }): HostNames {
  const { host, port } = listen;
  const hosts = new Map<string, string>();
  const add = (origin: string): string => {
    hosts.set(new URL(origin).host, origin);
    return origin;
  };
  // Like browsers, `URL` omits a default port.
  const own = (name: string): string => new URL(`http://${name}:${port}`).origin;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  if (isLoopback(host)) for (const each of LOOPBACK) add(own(each));
  if (listen.origin !== undefined) return { origin: add(readOrigin(listen.origin)), hosts };
  if (host === "0.0.0.0" || host === "::" || host === "") {
    throw new GatewayError(
      "config-invalid",
      'listen.origin is missing: a gateway on all addresses must know the origin that browsers use; set it, for example "https://gateway.example.com"',
    );
  }
  return { origin: add(own(name)), hosts };
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text;
  throw new GatewayError(
    "config-invalid",
    `origin must look like "https://vitrine.example", without a path; it is ${JSON.stringify(text)}`,
  );
}
