/**
 * The view's document when its HTML comes by message (S03), or came with it as text: it asks the proxy, then becomes
 * what it is given or has. `document.write` keeps this document's origin and its header policy, whatever the HTML says.
 */
import { prelude, tell } from "./prelude.js";

const view = { ...(document.currentScript as HTMLScriptElement).dataset };
const { proxy = "" } = view;
prelude(view);
addEventListener("message", (event) => {
  if (event.source !== parent || event.origin !== proxy) return;
  const { data } = event;
  if (typeof data !== "string") return;
  const html = data || `${document.querySelector("plaintext")?.textContent}`;
  // That it was made ready before is nothing to the app.
  history.replaceState(null, "", location.pathname);
  // This also takes every listener off the window.
  document.open();
  prelude(view);
  document.write(html);
  document.close();
});
// Not before all of the text is there.
addEventListener("DOMContentLoaded", () => tell(proxy, "waiting"));
