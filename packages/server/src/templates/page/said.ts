/**
 * What came of pressing a button, beside that button.
 *
 * @module
 */
import { element, put, set } from "./dom.js";

/** One sentence: that it is on its way, and what the tool said. */
export class Said {
  readonly node = element("p", { role: "status", hidden: true });

  say(text = "", kind: "said" | "said no" | "status busy" = "said"): void {
    put(this.node, text);
    set(this.node, "hidden", text === "");
    set(this.node, "class", kind);
  }
}
