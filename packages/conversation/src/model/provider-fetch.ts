/**
 * A `fetch` for providers: limited to their own address, and in the size of responses.
 *
 * @module
 */
import { safeFetch } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { ModelError } from "./model-error.js";
import type { ModelProviderSettings } from "./settings.js";

/** Maximum bytes of an answer. Streaming a megabyte of arguments takes about ten times as many bytes. */
const ANSWER_LIMIT = 64_000_000;
/** Maximum bytes of an error response. */
const ERROR_LIMIT = 1_000_000;
/** Milliseconds until a response that is no stream must be complete. */
const RESPONSE_TIMEOUT = 60_000;

/** An address that `safeFetch` would always allow is the operator's own. A page may have entered this one. */
const NOBODY = "https://nobody.invalid";

/** The part of a provider's settings that decides which addresses it may reach. */
export type ProviderAddress = Pick<ModelProviderSettings, "name" | "privateNetwork">;

/**
 * A `fetch` that follows no redirects, because the key would be sent to another server. If the settings say whether the
 * provider may be in a private network, each address is checked when the connection is made, after name resolution.
 */
export function addressFetch({ name, privateNetwork }: ProviderAddress): typeof fetch {
  if (privateNetwork === undefined) return (input, init) => fetch(input, { ...init, redirect: "manual" });
  const checked = safeFetch({
    url: NOBODY,
    privateNetwork,
    message: ANSWER_LIMIT,
    timeout: RESPONSE_TIMEOUT,
  });
  return async (input, init) => {
    const target = input instanceof Request ? input.url : input;
    try {
      return await checked.fetch(target, { ...init, redirect: "manual" });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.data.code !== "address-forbidden") throw error;
      throw new ModelError(
        "model-unreachable",
        privateNetwork
          ? `${name} is at an address that must not be reached from here; check its url`
          : `${name} is at an address of a private network; confirm that address in the list of providers, or check its url`,
      );
    }
  };
}

/**
 * A `fetch` for the answers of one provider. A response that is a page or document instead of a stream is rejected before
 * it is read.
 */
export function providerFetch(provider: ProviderAddress, limit: number = ANSWER_LIMIT): typeof fetch {
  const { name } = provider;
  const send = addressFetch(provider);
  return async (input, init) => {
    const response = await send(input, init);
    if (!response.body) return response;
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && /^(text\/html|application\/json)\b/i.test(type)) {
      await response.body.cancel();
      throw new ModelError(
        "model-invalid",
        `${name} does not answer with a stream; check that its url is that of the API (most end with /v1)`,
      );
    }
    const body = limited(response.body, response.ok ? limit : ERROR_LIMIT, name);
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function limited(
  body: ReadableStream<Uint8Array>,
  limit: number,
  provider: string,
): ReadableStream<Uint8Array> {
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size <= limit) controller.enqueue(chunk);
        else
          controller.error(
            new ModelError(
              "model-invalid",
              `${provider} sent more than ${limit} bytes; ask for less, or choose another model`,
            ),
          );
      },
    }),
  );
}
