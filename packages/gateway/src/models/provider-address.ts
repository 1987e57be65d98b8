/**
 * Checks the addresses of models that a page enters. The gateway sends requests to them, so a page must not be able to point it
 * at the services of its network.
 *
 * @module
 */
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";
import { isLoopbackHost, isPrivateHost, kindOfAddress } from "@vitrine/servers";
import { GatewayError, MODEL_INPUT_LIMITS } from "@vitrine/wire";

/** Names, and IPv6 addresses in brackets. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/;

/** An accepted address. */
export interface ProviderUrl {
  readonly url: string;
  /** Whether it is in a private network, or on this machine. */
  readonly isPrivate: boolean;
}

/**
 * Accepts `https` addresses, and those of model servers on this machine. A page cannot open a private network: its confirmation
 * would be that of whoever controls the page.
 *
 * @param isServer whether a model server was found at this address of this machine
 * @throws {VitrineError} `INVALID_PARAMS`
 * @throws {GatewayError} `config-invalid` for a private address, with the lines to write into the settings file
 */
export async function providerUrl(
  written: string,
  isServer: (url: string) => Promise<boolean>,
): Promise<ProviderUrl> {
  if (written.length > MODEL_INPUT_LIMITS.url || !URL.canParse(written) || !/^https?:\/\//i.test(written))
    throw wrong("this is not a web address; write it like https://openrouter.ai/api/v1");
  const { protocol, hostname, username, password, search, hash, href } = new URL(written);
  // The settings resolve references in addresses: a page could send environment variables to a host of its choice.
  if (/[${}]/.test(written + href) || !HOST.test(hostname))
    throw wrong(
      "the address contains characters that are not allowed in the address of a model, such as $ and {",
    );
  if (username || password)
    throw wrong("the address contains a user name or a password; enter a key instead");
  if (search || hash) throw wrong("the address contains ? or #; remove it and everything after it");
  const host = hostname.replace(/^\[|\]$/g, "");
  const isPrivate = isPrivateHost(hostname);
  if (/^[\d.]+$|:/.test(host) && kindOfAddress(host) === "forbidden")
    throw wrong("this address is reserved for the network itself, and is never used for models");
  if (protocol === "http:" && !isPrivate)
    throw wrong("the address must begin with https, because the key would be readable on the way");
  const url = href.replace(/\/$/, "");
  if (!isPrivate) return { url, isPrivate };
  const isHere = isLoopbackHost(hostname);
  if (isHere && (await isServer(url))) return { url, isPrivate };
  const problem = isHere
    ? `${host} is this machine, and no model server answers at ${url}/models; start it, and try again`
    : `${host} is in a private network, which no page may open`;
  const lines = `"url": ${JSON.stringify(url)}, "privateNetwork": true`;
  throw new GatewayError(
    "config-invalid",
    `${problem}. Or write it into the settings file, under "model", "providers" and a name: { ${lines} }`,
    { data: { field: "params.url" } },
  );
}

const wrong = (message: string): VitrineError =>
  new VitrineError(INVALID_PARAMS, message, { data: { field: "params.url" } });
