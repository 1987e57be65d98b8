/**
 * Where the gateway is reached: the `Host` and `Origin` that are ours, and no other (DNS rebinding).
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

/** The names that the gateway answers to. */
export interface Places {
  /** What browsers are told: where the one-time link leads. */
  readonly origin: string;
  /** Each `Host` that is ours, and the `Origin` of the pages it serves. */
  readonly hosts: ReadonlyMap<string, string>;
}

/**
 * The places of a listener. The origin is made from the *address*, not from `localhost`: that name may lead a browser to
 * `::1`, where somebody else may listen for a one-time link.
 *
 * @throws {GatewayError} `config-invalid`
 */
export function placesOf(listen: { host: string; port: number; origin?: string | undefined }): Places {
  const { host, port } = listen;
  const hosts = new Map<string, string>();
  const add = (origin: string): string => {
    hosts.set(new URL(origin).host, origin);
    return origin;
  };
  // `URL` leaves a default port out, and so do browsers.
  const own = (name: string): string => new URL(`http://${name}:${port}`).origin;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  if (isLoopback(host)) for (const each of LOOPBACK) add(own(each));
  if (listen.origin !== undefined) return { origin: add(readOrigin(listen.origin)), hosts };
  if (host === "0.0.0.0" || host === "::" || host === "") {
    throw new GatewayError(
      "config-invalid",
      'listen.origin is missing: a gateway on every address needs to know the one that browsers use; set it, such as "https://gateway.example.com"',
    );
  }
  return { origin: add(own(name)), hosts };
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text;
  throw new GatewayError(
    "config-invalid",
    `origin must be such as "https://vitrine.example", without a path, and not ${JSON.stringify(text)}`,
  );
}
