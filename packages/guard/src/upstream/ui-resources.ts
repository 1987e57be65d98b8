/**
 * The UI resources of a server: read before anybody asks for them, and again when the server says that they changed.
 *
 * @module
 */
import {
  isUiUri,
  METHOD_NOT_FOUND,
  readToolUi,
  readUiDocument,
  type Tool,
  type UiDocument,
} from "@vitrine/protocol";
import { arrayAt, listAll, resultObject } from "../links/listing.js";
import type { Upstream } from "./upstream.js";

/** How large the document of a view may be, where nobody says another limit. */
export const MAX_UI_BYTES = 20_000_000;

/** Options of {@link UiResources}. */
export interface UiResourcesOptions {
  /** Largest document in bytes; {@link MAX_UI_BYTES} by default. */
  maxBytes?: number | undefined;
  /**
   * Schemes that this server uses in place of `ui`, such as `mcp-app` (T09). The operator's choice, per server:
   * without it such a link is refused with a cause that can be read.
   */
  schemes?: readonly string[] | undefined;
}

/** Documents that are kept, and that are read at a time: each may be large. */
const MOST = 100;
const AT_ONCE = 4;

/** The UI of one tool. */
export interface ToolView {
  tool: Tool;
  /** The address of its UI, as the server knows it. */
  uri: string;
  /** The document, or why there is none (C08). */
  document: UiDocument;
}

/**
 * Reads a server's UI resources and keeps them (C06). What the server says has changed is read again when it is asked
 * for.
 *
 * @example
 * ```ts source="./ui-resources.examples.ts#uiResources"
 * const resources = new UiResources(upstream);
 * for (const { tool, document } of await resources.prefetch()) {
 *   if (document.ok) views.push(await sandbox.register({ server: upstream.server, ...document }));
 *   else show(`${tool.name} has no app: ${document.message}`);
 * }
 * ```
 */
export class UiResources {
  readonly #upstream: Upstream;
  readonly #options: UiResourcesOptions;
  readonly #documents = new Map<string, Promise<UiDocument>>();
  readonly #stop: () => void;
  #listings: Promise<unknown[]> | undefined;

  constructor(upstream: Upstream, options: UiResourcesOptions = {}) {
    this.#upstream = upstream;
    this.#options = options;
    this.#stop = upstream.listen((method, { uri }) => {
      if (method === "notifications/resources/updated") this.#documents.delete(`${uri}`);
      if (method !== "notifications/resources/list_changed") return;
      this.#documents.clear();
      this.#listings = undefined;
    });
  }

  /** The address of a tool's UI, as the server knows it; undefined for a tool that has none. */
  uriOf(tool: unknown): string | undefined {
    const { resourceUri, problems } = readToolUi(tool);
    if (resourceUri) return resourceUri;
    // A link that is no `ui://` URI is a UI all the same: one with a cause to show.
    const isLink = problems.some(({ code }) => code === "resource-uri-invalid");
    const { ui, "ui/resourceUri": flat } = resultObject(resultObject(tool)["_meta"]);
    return isLink ? String(resultObject(ui)["resourceUri"] ?? flat) : undefined;
  }

  /**
   * Tools that have a UI, with its document: call at connection. One that cannot be read stops no other. A server with
   * more than a hundred of them has the rest read when they are needed.
   */
  async prefetch(): Promise<ToolView[]> {
    const tools = (await listAll(this.#upstream, "tools/list", "tools")) as Tool[];
    const wanted = tools
      .flatMap((tool) => {
        const uri = this.uriOf(tool);
        return uri === undefined ? [] : [{ tool, uri }];
      })
      .slice(0, MOST);
    const views: ToolView[] = [];
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE);
      views.push(
        ...(await Promise.all(some.map(async (view) => ({ ...view, document: await this.read(view.uri) })))),
      );
    }
    return views;
  }

  /** The document at an address; the last one, until the server says that it changed. Never throws. */
  read(uri: string): Promise<UiDocument> {
    const kept = this.#documents.get(uri);
    if (kept) return kept;
    const document = this.#load(uri);
    this.#documents.set(uri, document);
    const [oldest = uri] = this.#documents.keys();
    if (this.#documents.size > MOST) this.#documents.delete(oldest);
    // A failure is not kept: the next one may have more luck.
    void document.then(
      ({ ok }) => ok || (this.#documents.get(uri) === document && this.#documents.delete(uri)),
    );
    return document;
  }

  async #load(uri: string): Promise<UiDocument> {
    const { maxBytes = MAX_UI_BYTES, schemes = [] } = this.#options;
    const [scheme = "", rest = ""] = uri.split("://", 2);
    const name = schemes.includes(scheme) ? `ui://${rest}` : uri;
    // Refused before the server is asked.
    if (!isUiUri(name)) return readUiDocument({}, name);
    try {
      const result = resultObject(await this.#upstream.request("resources/read", { uri }));
      const contents = arrayAt(result, "contents").map((entry) => {
        const item = resultObject(entry);
        return item["uri"] === uri ? { ...item, uri: name } : item;
      });
      const document = readUiDocument({ contents }, name, { maxBytes });
      if (!document.ok || document.from !== "none") return document;
      // C05: what the content does not say, its listing may.
      const entries = await this.#list().catch(() => {
        // It can be shown without, by the strictest policy; but not for good.
        this.#documents.delete(uri);
        return [];
      });
      const listing = entries.find((entry) => resultObject(entry)["uri"] === uri);
      return readUiDocument({ contents }, name, { maxBytes, listing });
    } catch (error) {
      const { message, data } = error as Error & { data?: unknown };
      // Where a gateway is in between: it was there, and was more than is taken from a server.
      const isTooLarge = Object(data)["code"] === "server-too-large";
      return {
        ok: false,
        code: isTooLarge ? "document-too-large" : "content-missing",
        message: `the server did not hand over ${uri}: ${message}`,
      };
    }
  }

  #list(): Promise<unknown[]> {
    this.#listings ??= this.#upstream.capabilities.resources
      ? listAll(this.#upstream, "resources/list", "resources").catch((error) => {
          // A server that cannot list has no listing (R05).
          if (Object(error).code === METHOD_NOT_FOUND) return [];
          throw error;
        })
      : Promise.resolve([]);
    const listings = this.#listings;
    listings.catch(() => {
      // The next one may have more luck.
      if (this.#listings === listings) this.#listings = undefined;
    });
    return listings;
  }

  /** Stops hearing the server. */
  close(): void {
    this.#stop();
    this.#documents.clear();
  }
}
