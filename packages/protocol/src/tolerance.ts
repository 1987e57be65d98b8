/**
 * What views in the wild send although the spec does not allow it, read as what it means (part T).
 *
 * @module
 */
import { isObject } from "./schema.js";
import { PROTOCOL_VERSION } from "./version.js";

type Normaliser = (params: Record<string, unknown>) => unknown;

const NORMALISERS: { readonly [method: string]: Normaliser } = {
  /** T01: `clientInfo`/`capabilities` for `appInfo`/`appCapabilities`, or neither, or no version. */
  "ui/initialize": (params) => ({
    ...params,
    protocolVersion: params.protocolVersion ?? PROTOCOL_VERSION,
    appInfo: named(params.appInfo ?? params.clientInfo),
    appCapabilities: params.appCapabilities ?? params.capabilities ?? {},
  }),
  /** T04 and D15: one content block instead of a list; another role, kept as `sentRole`: the turn is the user's. */
  "ui/message": (params) => ({
    ...params,
    ...(params.role === "user" ? {} : { role: "user", sentRole: params.role }),
    content: isObject(params.content) ? [params.content] : params.content,
  }),
  /** D11: a key that is gone, as JSON can say it. */
  "ui/notifications/host-context-changed": (params) =>
    Object.fromEntries(Object.entries(params).map(([key, value]) => [key, value ?? undefined])),
  /** T05: the long name of `pip`. */
  "ui/request-display-mode": (params) =>
    params.mode === "picture-in-picture" ? { ...params, mode: "pip" } : params,
};

/** Reads params as what they mean; params that need no help come back as they are. */
export function tolerate(method: string, params: unknown): unknown {
  return Object.hasOwn(NORMALISERS, method) && isObject(params) ? NORMALISERS[method]?.(params) : params;
}

function named(info: unknown): unknown {
  if (info === undefined) return { name: "unknown", version: "0.0.0" };
  return isObject(info) ? { ...info, name: info.name ?? "unknown", version: info.version ?? "0.0.0" } : info;
}
