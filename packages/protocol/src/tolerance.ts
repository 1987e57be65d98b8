/**
 * What views in the wild send although the spec does not allow it, read as what it means (part T).
 *
 * @module
 */
import { displayMode } from "./apps.js";
import { type Decoded, decode, isObject, type Schema } from "./schema.js";
import { PROTOCOL_VERSION } from "./version.js";

type Normaliser = (params: Record<string, unknown>) => unknown;

const NORMALISERS: { readonly [method: string]: Normaliser } = {
  /** T01: `clientInfo`/`capabilities` for `appInfo`/`appCapabilities`, or neither, or no version; unknown words. */
  "ui/initialize": (params) => ({
    ...params,
    protocolVersion: params.protocolVersion ?? PROTOCOL_VERSION,
    appInfo: named(params.appInfo ?? params.clientInfo),
    appCapabilities: understood(params.appCapabilities ?? params.capabilities ?? {}),
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
    Object.hasOwn(params, "mode") ? { ...params, mode: shortMode(params.mode) } : params,
};

/** Checks params, read as what they mean; those that need no help are taken as they are. */
export function decodeAsMeant<T>(method: string, params: unknown, schema: Schema<T>): Decoded<T> {
  return decode(schema, params, "params", (sent) =>
    Object.hasOwn(NORMALISERS, method) && isObject(sent) ? NORMALISERS[method]?.(sent) : sent,
  );
}

function named(info: unknown = {}): unknown {
  return isObject(info) ? { ...info, name: info.name ?? "unknown", version: info.version ?? "0.0.0" } : info;
}

const shortMode = (mode: unknown): unknown => (mode === "picture-in-picture" ? "pip" : mode);

/** Capabilities without the words that we do not know: one of those must not refuse the whole view. */
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
