/**
 * What the inline script puts into the page: `vitrine` with everything, and `McpApp`.
 *
 * @module
 */
import type { AppCapabilities, Implementation } from "@vitrine/protocol";
import { App } from "./app.js";
import * as view from "./index.js";
import { McpApp } from "./mcp-app.js";

class InlineApp extends App {
  /** Without a name, the one that `viewScript` was given. */
  constructor(
    appInfo: Implementation = McpApp.info,
    capabilities?: AppCapabilities,
    options?: view.AppOptions,
  ) {
    super(appInfo, capabilities, options);
  }
}

Object.assign(globalThis, { McpApp, vitrine: { ...view, App: InlineApp, McpApp } });
