/**
 * Parses elicitation requests.
 *
 * @module
 */
import { Refusal, readLink, sizeOf } from "@vitrine/guard";
import { isRecord } from "@vitrine/protocol";
import { isLoopbackHost } from "@vitrine/servers";
import { invalid } from "./ask-error.js";
import { type FormSchema, readFormSchema } from "./form-schema.js";
import type { ElicitationLimits } from "./limits.js";

/** A form to fill in, or a web page to open. */
export type ElicitationRequest = { readonly message: string } & (
  | { readonly mode: "form"; readonly schema: FormSchema }
  | { readonly mode: "url"; readonly url: string; readonly elicitationId?: string | undefined }
);

const MAX_ID = 500;

/**
 * Reads the params of `elicitation/create`.
 *
 * @throws {Refusal} `too-large`, `link-invalid`
 * @throws {VitrineError} −32602 for a malformed request
 */
export function readElicitationRequest(params: unknown, limits: ElicitationLimits): ElicitationRequest {
  // First, because other checks traverse the value.
  if (sizeOf(params, limits.size) > limits.size) {
    const message = `elicitation/create: more than ${limits.size} characters, or nested too deep`;
    throw new Refusal("too-large", message);
  }
  if (!isRecord(params)) throw invalid("params must be an object");
  const { mode = "form", message, requestedSchema, url, elicitationId } = params;
  if (typeof message !== "string" || message.trim() === "") {
    throw invalid("params.message must not be empty");
  }
  if (message.length > limits.message) {
    throw new Refusal("too-large", `params.message is longer than ${limits.message} characters`);
  }
  if (mode === "form") return { message, mode, schema: readFormSchema(requestedSchema) };
  if (mode !== "url") throw invalid('params.mode must be "form" or "url"');
  if (elicitationId !== undefined && (typeof elicitationId !== "string" || elicitationId.length > MAX_ID)) {
    throw invalid(`params.elicitationId must be a string of at most ${MAX_ID} characters`);
  }
  return { message, mode, url: readAddress(url), elicitationId };
}

/** The address must be https, so that nobody can read or redirect the request. */
function readAddress(url: unknown): string {
  const link = readLink(url);
  if (!link.ok) throw new Refusal("link-invalid", `params.url: ${link.message}`);
  const { protocol, hostname } = new URL(link.url);
  if (protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname))) return link.url;
  throw new Refusal("link-invalid", "params.url must begin with https://, unless it is on this machine");
}
