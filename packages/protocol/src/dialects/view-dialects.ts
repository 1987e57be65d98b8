/**
 * Dialects of views: other ways in which documents speak with their hosts. The sandbox translates them, so that hosts
 * and servers know MCP Apps alone.
 *
 * @module
 */

/** The dialects: `window.openai` of the ChatGPT Apps SDK, and the messages of mcp-ui. */
export const VIEW_DIALECTS = ["apps-sdk", "mcp-ui"] as const;

/** A dialect of views. */
export type ViewDialect = (typeof VIEW_DIALECTS)[number];
