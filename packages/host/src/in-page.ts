/**
 * `@vitrine/host/in-page`: views without a back end, for hosts that run their MCP client in the page.
 *
 * @module
 */
import { clientUpstream, UiResources, type UiResourcesOptions, type Upstream } from "@vitrine/guard";
import { isVisibleTo, readEmbeddedUi, type Tool, type UiDocument, VitrineError } from "@vitrine/protocol";
import { type InPageOptions, type InPageView, pageView } from "./page-view.js";

export { type InPageDocument, type InPageOptions, type InPageView, pageView } from "./page-view.js";
export {
  type AppSnapshot,
  type SnapshotApp,
  type SnapshotOptions,
  showSnapshot,
  snapshotApp,
  takeSnapshot,
} from "./snapshot.js";

/** The clients that `clientUpstream` takes. */
type OfficialClient = Parameters<typeof clientUpstream>[0];

/** A server whose apps this page shows. */
export interface InPageServer {
  readonly upstream: Upstream;
  /** The tools of the model that have a view. A view that cannot be shown rejects with the reason. */
  apps(): Promise<{ tool: Tool; view: Promise<InPageView> }[]>;
  /** The view of a tool; read once, and again after the server reported a change. */
  view(tool: Tool): Promise<InPageView>;
  /** The view that a result contains, as those of mcp-ui servers do; undefined if it contains none. */
  resultView(result: unknown): Promise<InPageView> | undefined;
}

/**
 * Prepares the apps of a server from an official MCP client in this page: `Client` of `@modelcontextprotocol/sdk` 1.x
 * or of `@modelcontextprotocol/client` 2.x.
 *
 * @example
 * ```ts source="./in-page.examples.ts#prepare"
 * const weather = prepare(client, { server: "https://weather.example/mcp", sandbox });
 * const { upstream } = weather;
 * const guard = standardGuard(upstream, { ask: askInFrame });
 * app.app = { info, title: tool.title ?? tool.name, view: weather.view(tool), upstream, guard };
 * ```
 */
export function prepare(client: OfficialClient, options: InPageOptions & UiResourcesOptions): InPageServer {
  const upstream = clientUpstream(client, options);
  const resources = new UiResources(upstream, options);
  const view = async (tool: Tool): Promise<InPageView> => {
    const uri = resources.uriOf(tool);
    if (uri === undefined) throw new VitrineError("bad-resource", `the tool ${tool.name} has no view`);
    const document = await resources.read(uri);
    return viewOf(document);
  };
  const viewOf = async (document: UiDocument): Promise<InPageView> => {
    if (!document.ok) throw new VitrineError("bad-resource", document.message);
    const { html, meta, dialects } = document;
    return pageView({ ...meta, html, dialects }, options);
  };
  return {
    upstream,
    view,
    resultView: (result) => {
      const found = readEmbeddedUi(result, options);
      return found && viewOf(found.document);
    },
    apps: async () =>
      (await resources.prefetch()).flatMap(({ tool }) => {
        if (!isVisibleTo(tool, "model")) return [];
        const shown = view(tool);
        // The page may never show it.
        shown.catch(() => {});
        return [{ tool, view: shown }];
      }),
  };
}
