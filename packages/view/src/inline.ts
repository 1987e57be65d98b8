/**
 * Globals that the inline script adds to the page: `vitrine` (all exports) and `McpApp`.
 *
 * @module
 */
import type { AppCapabilities, Implementation } from "@vitrine/protocol";
import { App } from "./app.js";
import * as view from "./index.js";
import { McpApp } from "./mcp-app.js";

class InlineApp extends App {
  /** The name defaults to the one given to `viewScript`. */
  constructor(
    appInfo: Implementation = McpApp.info,
    capabilities?: AppCapabilities,
    options?: view.AppOptions,
  ) {
    super(appInfo, capabilities, options);
  }
}

Object.assign(globalThis, { McpApp, vitrine: { ...view, App: InlineApp, McpApp } });
