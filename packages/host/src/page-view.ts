/**
 * A view that a page shows by itself, from its HTML and metadata.
 *
 * @module
 */
import {
  acceptedCsp,
  asksForPermission,
  isStaticDocument,
  PERMISSION_FEATURES,
  type Permission,
  pageViewAddress,
  pageViewDigest,
  type ResourceCsp,
  type ResourceMeta,
  type ViewDialect,
  VitrineError,
} from "@vitrine/protocol";
import type { FrameView } from "./frame/proxy-frame.js";

/** Where views are shown, and whose they are. */
export interface InPageOptions {
  /**
   * The `origin` of the sandbox, as in its options: `https://{role}-{label}.apps.example.com`, or
   * `https://sandbox.example.com`. The sandbox must have `pageViews`.
   */
  sandbox: string;
  /** The server's identity: views of one server share an origin, views of different servers never do. */
  server: string;
}

/** A document and what it declares. */
export interface InPageDocument extends ResourceMeta {
  html: string;
  /** Dialects to translate, such as those that `readUiDocument` found. */
  dialects?: readonly ViewDialect[] | undefined;
}

/** A view that this page shows by itself. */
export interface InPageView extends FrameView {
  html: string;
  /** The granted origins, for `details.sandbox` of the bridge. */
  csp: ResourceCsp;
  /** The document as it was given, for `takeSnapshot`. */
  document: InPageDocument;
  /** The identity of its server. */
  server: string;
}

/**
 * A view from its HTML and metadata, without a back end. The sandbox serves an empty page under the policy that the
 * metadata declares, and the document is handed over by message. The operator of the sandbox decides about
 * permissions, relaxations and blocked origins.
 *
 * @example
 * ```ts source="./in-page.examples.ts#pageView"
 * const view = pageView(
 *   { html, csp: { connectDomains: ["https://api.weather.example"] } },
 *   { server: "https://weather.example/mcp", sandbox: "https://{role}-{label}.apps.example.com" },
 * );
 * app.app = { info, title: "Weather", view };
 * ```
 *
 * @throws {VitrineError} `bad-resource` for metadata that a policy cannot contain; `unsupported` in a page without
 * an origin or TLS
 */
export async function pageView(document: InPageDocument, options: InPageOptions): Promise<InPageView> {
  const { sandbox, server } = options;
  const { permissions: asked, domain = "", prefersBorder, dialects } = document;
  // Like in a registration: a byte order mark would become text.
  const html = document.html.replace(/^\uFEFF/, "");
  const csp = acceptedCsp(document.csp);
  const permissions = (Object.keys(PERMISSION_FEATURES) as Permission[]).filter((permission) =>
    asksForPermission(asked?.[permission]),
  );
  if (!globalThis.crypto?.subtle)
    throw new VitrineError("unsupported", "views without a back end need a page with TLS, or on localhost");
  const app = await pageViewDigest(server, domain);
  const view = { host: pageSource(), app, document: await pageViewDigest(html), csp, permissions, dialects };
  const src = await pageViewAddress(sandbox, view);
  return {
    src,
    origin: new URL(src).origin,
    html,
    csp,
    document,
    server,
    // The sandbox's own policy restricts it to what the operator grants.
    allow: permissions.map((permission) => PERMISSION_FEATURES[permission]).join("; "),
    prefersBorder,
    static: (!dialects?.length && isStaticDocument(html)) || undefined,
  };
}

/** This page, as the sandbox's `hosts` name it. */
function pageSource(): string {
  if (self.origin !== "null") return self.origin;
  // A file has no origin of its own.
  if (location.protocol === "file:") return "file:";
  throw new VitrineError("unsupported", "this page has no origin, so no sandbox can allow it");
}
