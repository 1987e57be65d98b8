/**
 * Checks the addresses of models that a page enters. The gateway sends requests to them, so a page must not be able to point it
 * at the services of its network.
 *
 * @module
 */
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";
import { isPrivateHost, kindOfAddress } from "@vitrine/servers";
import { MODEL_INPUT_LIMITS } from "@vitrine/wire";

/** Names, and IPv6 addresses in brackets. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/;

/** An accepted address. */
export interface ProviderUrl {
  readonly url: string;
  /** Whether it is in a private network, or on this machine. */
  readonly isPrivate: boolean;
}

/**
 * Accepts `https` addresses, and private ones that the user has confirmed or that the gateway has found itself.
 *
 * @throws {VitrineError} `INVALID_PARAMS`; `data.confirm` is set if the user may confirm the address
 */
export function providerUrl(written: string, isConfirmed: boolean): ProviderUrl {
  if (written.length > MODEL_INPUT_LIMITS.url || !URL.canParse(written) || !/^https?:\/\//i.test(written))
    throw wrong("this is not a web address; write it like https://openrouter.ai/api/v1");
  const { protocol, hostname, username, password, search, hash, href } = new URL(written);
  // The settings resolve references in addresses: a page could send environment variables to a host of its choice.
  if (/[${}]/.test(written + href) || !HOST.test(hostname))
    throw wrong("the address contains characters that are not allowed in the address of a model, such as $ and {");
  if (username || password)
    throw wrong("the address contains a user name or a password; enter a key instead");
  if (search || hash) throw wrong("the address contains ? or #; remove it and everything after it");
  const host = hostname.replace(/^\[|\]$/g, "");
  const isPrivate = isPrivateHost(hostname);
  if (/^[\d.]+$|:/.test(host) && kindOfAddress(host) === "forbidden")
    throw wrong("this address is reserved for the network itself, and is never used for models");
  if (protocol === "http:" && !isPrivate)
    throw wrong("the address must begin with https, because the key would be readable on the way");
  if (isPrivate && !isConfirmed) {
    const message = `${host} is this machine, or in a private network; confirm that you run a model server there`;
    throw new VitrineError(INVALID_PARAMS, message, { data: { field: "params.url", confirm: true } });
  }
  return { url: href.replace(/\/$/, ""), isPrivate };
}

const wrong = (message: string): VitrineError =>
  new VitrineError(INVALID_PARAMS, message, { data: { field: "params.url" } });
