/**
 * The view's document when its HTML comes by message (S03): it asks the proxy, then becomes what it is given.
 * `document.write` keeps this document's origin and its header policy, whatever the HTML says.
 */
import { prelude, tell } from "./prelude.js";

const { proxy = "" } = (document.currentScript as HTMLScriptElement).dataset;
prelude(proxy);
addEventListener("message", (event) => {
  if (event.source !== parent || event.origin !== proxy) return;
  const { data } = event;
  if (typeof data !== "string") return;
  // This also takes every listener off the window.
  document.open();
  prelude(proxy);
  document.write(data);
  document.close();
});
tell(proxy, "waiting");
