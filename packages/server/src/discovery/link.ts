/**
 * Which view shows what a tool gives: the one that it names, or the one in its own folder.
 *
 * @module
 */
import { RESOURCE_URI_META_KEY, readToolUi } from "@vitrine/protocol";
import type { AnyTool } from "../tool.js";
import type { View } from "../view.js";

/**
 * A tool with its view. What it says itself wins: an address is kept, and so is a visibility while the address is made.
 *
 * @param own the view in its folder
 * @param views all of them, by address
 */
export function link(tool: AnyTool, own: View | undefined, views: ReadonlyMap<string, View>): AnyTool {
  if (tool.view) return tool;
  const { resourceUri, visibility = tool.visibility } = explicitOf(tool);
  const view = resourceUri === undefined ? own : views.get(resourceUri);
  const { ui, [RESOURCE_URI_META_KEY]: _flat, ...rest } = tool.meta ?? {};
  if (!view && resourceUri === undefined) return tool;
  const shown = visibility ?? (["model", "app"] as const);
  // Whose address leads elsewhere says so in its metadata.
  const meta = view ? rest : { ...rest, ui: { ...Object(ui), resourceUri, visibility: shown } };
  return {
    ...tool,
    view,
    visibility: shown,
    ...(Object.keys(meta).length > 0 ? { meta } : { meta: undefined }),
  };
}

/** A tool without the address that it names: a promise of a view that is not there is worse than words. */
export function unlinked(tool: AnyTool): AnyTool {
  const { ui, [RESOURCE_URI_META_KEY]: _flat, ...rest } = tool.meta ?? {};
  const { resourceUri: _uri, ...said } = Object(ui);
  return { ...tool, meta: { ...rest, ...(Object.keys(said).length > 0 && { ui: said }) } };
}

/** What its metadata say, under whichever key. */
export function explicitOf({ meta }: AnyTool): {
  resourceUri: string | undefined;
  visibility: AnyTool["visibility"];
} {
  const said = Object(meta?.["ui"]).visibility !== undefined;
  const { resourceUri, visibility } = readToolUi({ _meta: meta });
  return { resourceUri, visibility: said ? visibility : undefined };
}
