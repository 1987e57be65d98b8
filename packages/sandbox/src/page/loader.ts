/**
 * A view's document whose HTML comes by message, or as text with it: it asks the proxy, then replaces itself.
 * `document.write` keeps this document's origin and its header policy, whatever the HTML says.
 */
import { doctype } from "./doctype.js";
import { prelude, tell } from "./prelude.js";
import { SHIM_WAITS } from "./shim-waits.js";

const view = { ...(document.currentScript as HTMLScriptElement).dataset };
const { proxy = "" } = view;
prelude(view);
addEventListener("message", (event) => {
  if (event.source !== parent || event.origin !== proxy) return;
  const { data } = event;
  if (typeof data !== "string") return;
  const html = data || `${document.querySelector("plaintext")?.textContent}`;
  const shim = document.querySelector("script[data-dialects]")?.outerHTML.replace(SHIM_WAITS, "");
  // Hides from the app that it was preloaded.
  history.replaceState(null, "", location.pathname);
  // This also removes every listener from the window.
  document.open();
  prelude(view);
  document.write(shim ? doctype(html) + shim + html : html);
  document.close();
});
// Wait for the whole text.
addEventListener("DOMContentLoaded", () => tell(proxy, "waiting"));
