/**
 * What the params of a page's requests must look like.
 *
 * @module
 */
import {
  decode,
  type GatewayRequests,
  INVALID_PARAMS,
  NARROWINGS,
  type Narrowing,
  type Schema,
  VitrineError,
} from "@vitrine/protocol";

const STRING: Schema<string> = { kind: "string" };
const RECORD: Schema<Record<string, unknown>> = { kind: "record", values: { kind: "unknown" } };
/** Only what is known to take something away: whatever else is named here is refused. */
const NARROW: Schema<Narrowing[]> = { kind: "array", items: { kind: "literal", values: NARROWINGS } };
const shape = <T>(fields: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema<T> => ({
  kind: "object",
  fields,
  optional,
});

const PARAMS: { readonly [M in keyof GatewayRequests]: Schema<GatewayRequests[M]["params"]> } = {
  "gateway/servers": shape({}),
  "gateway/catalogue": shape({ server: STRING }, { for: { kind: "literal", values: ["model", "app"] } }),
  "gateway/open": shape({ server: STRING }, { tool: STRING, uri: STRING, arguments: RECORD, narrow: NARROW }),
  "gateway/show": shape({ name: STRING, html: STRING }, { meta: RECORD, narrow: NARROW }),
  "gateway/cancel": shape({ view: STRING }),
  "gateway/close": shape({ view: STRING }),
  "gateway/views": shape({}),
  "gateway/call": shape({ server: STRING, name: STRING }, { arguments: RECORD }),
  "gateway/start": shape({ server: STRING }),
  "gateway/restart": shape({ server: STRING }),
};

/** Exact names, and none that `Object.prototype` has. */
export const isPageMethod = (method: string): method is keyof GatewayRequests =>
  Object.hasOwn(PARAMS, method);

/** @throws {VitrineError} `INVALID_PARAMS` for what is not of the method's shape */
export function pageParams<M extends keyof GatewayRequests>(
  method: M,
  params: unknown,
): GatewayRequests[M]["params"] {
  const decoded = decode(PARAMS[method], params, "params");
  if (decoded.ok) return decoded.value;
  throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
}
