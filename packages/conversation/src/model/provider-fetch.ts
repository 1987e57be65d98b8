/**
 * How providers are reached: no further than their own address, and with a limit on what they send.
 *
 * @module
 */
import { ModelError } from "./model-error.js";

/** Bytes of one answer. A long one with a megabyte of arguments has some ten times that on the wire. */
const ANSWER_LIMIT = 64_000_000;
/** Bytes of an answer that says what is wrong. */
const ERROR_LIMIT = 1_000_000;

/**
 * A `fetch` for one provider. Redirects are answers like any other: with one, the key would go to somebody else. An answer
 * that is a page or a document, and no stream, is refused before it is read.
 */
export function providerFetch(provider: string, limit: number = ANSWER_LIMIT): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (!response.body) return response;
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && /^(text\/html|application\/json)\b/i.test(type)) {
      await response.body.cancel();
      throw new ModelError(
        "model-invalid",
        `${provider} does not answer with a stream; is its url that of the API (most end with /v1)?`,
      );
    }
    const body = limited(response.body, response.ok ? limit : ERROR_LIMIT, provider);
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
