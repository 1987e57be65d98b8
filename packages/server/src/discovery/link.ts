/**
 * Links a tool to its view: the one that it names, or the one in its own folder.
 *
 * @module
 */
import { RESOURCE_URI_META_KEY, readToolUi } from "@vitrine/protocol";
import type { AnyTool } from "../tool.js";
import type { ViewDefinition } from "../view.js";

/**
 * Returns the tool with its view. The tool's own metadata wins: its address is kept, or its visibility if it
 * has no address.
 *
 * @param own the view in the tool's folder
 * @param views all views by address
 */
export function link(
  tool: AnyTool,
  own: ViewDefinition | undefined,
  views: ReadonlyMap<string, ViewDefinition>,
): AnyTool {
  if (tool.view) return tool;
  const { resourceUri, visibility = tool.visibility } = explicitOf(tool);
  const view = resourceUri === undefined ? own : views.get(resourceUri);
  const { ui, [RESOURCE_URI_META_KEY]: _flat, ...rest } = tool.meta ?? {};
  if (!view && resourceUri === undefined) return tool;
  const shown = visibility ?? (["model", "app"] as const);
  // A tool with an address outside of the discovered views keeps it in its metadata.
  const meta = view ? rest : { ...rest, ui: { ...Object(ui), resourceUri, visibility: shown } };
  return {
    ...tool,
    view,
    visibility: shown,
    ...(Object.keys(meta).length > 0 ? { meta } : { meta: undefined }),
  };
}

/** Removes the view's address from a tool: plain text is better than a link to a missing view. */
export function unlinked(tool: AnyTool): AnyTool {
  const { ui, [RESOURCE_URI_META_KEY]: _flat, ...rest } = tool.meta ?? {};
  const { resourceUri: _uri, ...said } = Object(ui);
  return { ...tool, meta: { ...rest, ...(Object.keys(said).length > 0 && { ui: said }) } };
}

/** The address and visibility in a tool's metadata, under either key. */
export function explicitOf({ meta }: AnyTool): {
  resourceUri: string | undefined;
  visibility: AnyTool["visibility"];
} {
  const said = Object(meta?.["ui"]).visibility !== undefined;
  const { resourceUri, visibility } = readToolUi({ _meta: meta });
  return { resourceUri, visibility: said ? visibility : undefined };
}
