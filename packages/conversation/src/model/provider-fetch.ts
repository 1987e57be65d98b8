/**
 * A `fetch` for providers: limited to their own address, and in the size of responses.
 *
 * @module
 */
import { ModelError } from "./model-error.js";

/** Maximum bytes of an answer. Streaming a megabyte of arguments takes about ten times as many bytes. */
const ANSWER_LIMIT = 64_000_000;
/** Maximum bytes of an error response. */
const ERROR_LIMIT = 1_000_000;

/**
 * A `fetch` for one provider. Redirects are not followed, because the key would be sent to another server. A
 * response that is a page or document instead of a stream is rejected before it is read.
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
        `${provider} does not answer with a stream; check that its url is that of the API (most end with /v1)`,
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
