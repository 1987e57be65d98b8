/**
 * Makes `<mcp-app>` known to the page, whose fields keep the focus then.
 *
 * @module
 */
import { defineMcpApp, type McpAppElement } from "./element.js";
import { keepFocus } from "./frame/focus.js";

declare global {
  interface HTMLElementTagNameMap {
    "mcp-app": McpAppElement;
  }
}

defineMcpApp();
keepFocus();
