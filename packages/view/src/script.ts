/**
 * The runtime as text, for servers that write HTML without a build step.
 *
 * @module
 */
import { INLINE } from "./inline-text.js";

/** Name and version that the script announces to the host. */
export interface ViewScriptOptions {
  name: string;
  version: string;
}

/**
 * Returns the whole runtime as the text of a classic script, to put between `<script>` and `</script>`. The
 * script defines `vitrine` (with `App`, `View` and the other exports) and `McpApp`. Both use the name and
 * version given here.
 *
 * @example
 * ```ts source="./view.examples.ts#viewScript"
 * const html = `<!doctype html>
 *   <title>Weather</title>
 *   <p id="now"></p>
 *   <script>${viewScript({ name: "weather", version: "1.0.0" })}</script>
 *   <script>
 *     const app = new vitrine.App();
 *     app.ontoolresult = ({ content }) => (now.textContent = content[0].text);
 *     app.connect();
 *   </script>`;
 * ```
 */
export function viewScript({ name, version }: ViewScriptOptions): string {
  // Escape `<`, so that a name cannot end the script element or open a comment in it.
  const info = JSON.stringify({ name, version }).replaceAll("<", "\\u003c");
  return `${INLINE}McpApp.info=${info};`;
}
