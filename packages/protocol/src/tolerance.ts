/**
 * Accepts common deviations of views from the specification, and converts them to the specified form.
 *
 * @module
 */
import { displayMode } from "./apps.js";
import { type Decoded, decode, isObject, type Shape } from "./schema.js";
import { PROTOCOL_VERSION } from "./version.js";

type Normaliser = (params: Record<string, unknown>) => unknown;

const NORMALISERS: { readonly [method: string]: Normaliser } = {
  /**
   * Accepts `clientInfo`/`capabilities` for `appInfo`/`appCapabilities`, missing fields, a missing version,
   * and unknown capabilities.
   */
  "ui/initialize": (params) => ({
    ...params,
    protocolVersion: params.protocolVersion ?? PROTOCOL_VERSION,
    appInfo: named(params.appInfo ?? params.clientInfo),
    appCapabilities: understood(params.appCapabilities ?? params.capabilities ?? {}),
  }),
  /**
   * Accepts one content block instead of a list. Another role is kept as `sentRole`, because the turn is
   * always the user's.
   */
  "ui/message": (params) => ({
    ...params,
    ...(params.role === "user" ? {} : { role: "user", sentRole: params.role }),
    content: isObject(params.content) ? [params.content] : params.content,
  }),
  /** Accepts `null` for a removed key, because JSON has no `undefined`. */
  "ui/notifications/host-context-changed": (params) =>
    Object.fromEntries(Object.entries(params).map(([key, value]) => [key, value ?? undefined])),
  /** Accepts the long name of `pip`. */
  "ui/request-display-mode": (params) =>
    Object.hasOwn(params, "mode") ? { ...params, mode: shortMode(params.mode) } : params,
};

/** Checks params after converting known deviations. Valid params are used unchanged. */
export function decodeAsMeant<T>(method: string, params: unknown, schema: Shape<T>): Decoded<T> {
  return decode(schema, params, "params", (sent) =>
    Object.hasOwn(NORMALISERS, method) && isObject(sent) ? NORMALISERS[method]?.(sent) : sent,
  );
}

function named(info: unknown = {}): unknown {
  return isObject(info) ? { ...info, name: info.name ?? "unknown", version: info.version ?? "0.0.0" } : info;
}

const shortMode = (mode: unknown): unknown => (mode === "picture-in-picture" ? "pip" : mode);

/** Removes unknown capabilities, so that one of them does not invalidate the whole view. */
function understood(capabilities: unknown): unknown {
  if (!isObject(capabilities)) return capabilities;
  const { availableDisplayModes: modes, experimental } = capabilities;
  const known = (mode: unknown): boolean => decode(displayMode, mode).ok;
  return {
    ...capabilities,
    ...(Array.isArray(modes) && { availableDisplayModes: [...new Set(modes.map(shortMode).filter(known))] }),
    ...(isObject(experimental) && {
      experimental: Object.fromEntries(Object.entries(experimental).filter(([, value]) => isObject(value))),
    }),
  };
}
