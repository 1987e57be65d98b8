/**
 * Registers `<mcp-app>` in the page.
 *
 * @module
 */
import { defineMcpApp, type McpAppElement } from "./element.js";

declare global {
  interface HTMLElementTagNameMap {
    "mcp-app": McpAppElement;
  }
}

defineMcpApp();
