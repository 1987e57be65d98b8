/**
 * Security headers of responses.
 *
 * @module
 */
import type { ServerResponse } from "node:http";
import { GatewayError } from "@vitrine/wire";

const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** For everything except pages: if a browser displays it nevertheless, it can do nothing. */
export const CLOSED: Readonly<Record<string, string>> = {
  ...COMMON,
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
};

/** Sets {@link CLOSED} on a response that another part creates. */
export function setClosed(outgoing: ServerResponse): void {
  for (const [name, value] of Object.entries(CLOSED)) outgoing.setHeader(name, value);
}

/** {@link CLOSED} for JSON. */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  ...CLOSED,
  "content-type": "application/json; charset=utf-8",
};

/**
 * For pages with a sentence or two. Not sandboxed, because a sandboxed page cannot navigate and has no
 * origin.
 */
export const HTML_HEADERS: Readonly<Record<string, string>> = {
  ...CLOSED,
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
};

/** The policy of the pages in a folder. */
export interface FolderPolicy {
  /** Allowed sources of frames: the sandbox's origins, such as `http://*.localhost:8091`. */
  frames: readonly string[];
  /** Directives that replace the strict defaults, such as `{"img-src": "'self' https:"}`. */
  directives?: Readonly<Record<string, string>> | undefined;
}

const STRICT: Readonly<Record<string, string>> = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data: blob:",
  "media-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "worker-src": "'self'",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

/**
 * The headers of the workbench's pages and files.
 *
 * @throws {GatewayError} `config-invalid` for a source or directive that would start another directive
 */
export function pageHeaders({ frames, directives = {} }: FolderPolicy): Readonly<Record<string, string>> {
  const policy: Record<string, string> = {
    ...STRICT,
    "frame-src": frames.length > 0 ? frames.join(" ") : "'none'",
    ...directives,
  };
  for (const source of frames) {
    if (!/^https?:\/\/[\w.*:[\]-]+$/.test(source)) {
      throw new GatewayError("config-invalid", `${JSON.stringify(source)} is not a valid frame origin`);
    }
  }
  for (const [name, value] of Object.entries(policy)) {
    if (!/^[a-z-]+$/.test(name) || /[;,]|[^\x20-\x7e]/.test(value)) {
      throw new GatewayError("config-invalid", `the policy's directive ${JSON.stringify(name)} is not valid`);
    }
  }
  const text = Object.entries(policy).map(([name, value]) => `${name} ${value}`);
  return { ...COMMON, "content-security-policy": text.join("; ") };
}
