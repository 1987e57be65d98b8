/**
 * The UI resources of a server: prefetched, and read again when the server reports a change.
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

/** The default maximum size of a view's document. */
export const MAX_UI_BYTES = 20_000_000;

/** Options of {@link UiResources}. */
export interface UiResourcesOptions {
  /** Largest document in bytes; {@link MAX_UI_BYTES} by default. */
  maxBytes?: number | undefined;
  /**
   * Schemes that this server uses instead of `ui`, such as `mcp-app`. The operator's choice, per server:
   * without it such a link is refused with a readable cause.
   */
  schemes?: readonly string[] | undefined;
}

/** Maximum number of cached documents, and of concurrent reads: each may be large. */
const MOST = 100;
const AT_ONCE = 4;

/** The UI of one tool. */
export interface ToolView {
  tool: Tool;
  /** The address of its UI, as the server knows it. */
  uri: string;
  /** The document, or why there is none. */
  document: UiDocument;
}

/**
 * Reads and caches a server's UI resources. A changed one is read again on demand.
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

  /** The address of a tool's UI, as the server knows it; undefined if there is none. */
  uriOf(tool: unknown): string | undefined {
    const { resourceUri, problems } = readToolUi(tool);
    if (resourceUri) return resourceUri;
    // An invalid link still counts as a UI, with a cause to show.
    const isLink = problems.some(({ code }) => code === "resource-uri-invalid");
    const {
      ui,
      "ui/resourceUri": flat,
      "openai/outputTemplate": template,
    } = resultObject(resultObject(tool)["_meta"]);
    return isLink ? String(resultObject(ui)["resourceUri"] ?? flat ?? template) : undefined;
  }

  /**
   * Tools with a UI and its document: call this at connection. An unreadable one does not affect others.
   * Beyond a hundred, the rest is read on demand.
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

  /** The document at an address; cached until the server reports a change. Never throws. */
  read(uri: string): Promise<UiDocument> {
    const kept = this.#documents.get(uri);
    if (kept) return kept;
    const document = this.#load(uri);
    this.#documents.set(uri, document);
    const [oldest = uri] = this.#documents.keys();
    if (this.#documents.size > MOST) this.#documents.delete(oldest);
    // Failures are not cached.
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
      // The listing is the fallback for the content's metadata.
      const entries = await this.#list().catch(() => {
        // It can be shown with the strictest policy, but the result is not cached.
        this.#documents.delete(uri);
        return [];
      });
      const listing = entries.find((entry) => resultObject(entry)["uri"] === uri);
      return readUiDocument({ contents }, name, { maxBytes, listing });
    } catch (error) {
      const { message, data } = error as Error & { data?: unknown };
      // With a gateway in between: the document exceeded its limit.
      const isTooLarge = Object(data)["code"] === "server-too-large";
      return {
        ok: false,
        code: isTooLarge ? "document-too-large" : "content-missing",
        message: `the server did not return ${uri}: ${message}`,
      };
    }
  }

  #list(): Promise<unknown[]> {
    this.#listings ??= this.#upstream.capabilities.resources
      ? listAll(this.#upstream, "resources/list", "resources").catch((error) => {
          // A server without lists has no listing.
          if (Object(error).code === METHOD_NOT_FOUND) return [];
          throw error;
        })
      : Promise.resolve([]);
    const listings = this.#listings;
    listings.catch(() => {
      // Retried by the next caller.
      if (this.#listings === listings) this.#listings = undefined;
    });
    return listings;
  }

  /** Stops listening to the server. */
  close(): void {
    this.#stop();
    this.#documents.clear();
  }
}
