/**
 * Shows the outcome of an action beside its button.
 *
 * @module
 */
import { element, put, set } from "./dom.js";

/** A status line: in progress, then the tool's answer. */
export class Said {
  readonly node = element("p", { role: "status", hidden: true });

  say(text = "", kind: "said" | "said no" | "status busy" = "said"): void {
    put(this.node, text);
    set(this.node, "hidden", text === "");
    set(this.node, "class", kind);
  }
}
