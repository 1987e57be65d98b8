/**
 * Restricts a view to the tools that its server offers to views.
 *
 * @module
 */
import { isVisibleTo } from "@vitrine/protocol";
import type { Link } from "./link.js";
import { arrayAt, resultObject } from "./listing.js";
import { Refusal } from "./refusal.js";
import type { ToolDirectory } from "./tool-directory.js";

/**
 * Refuses `tools/call` of a tool that is unknown, or whose visibility lacks "app", before the server gets it.
 * Removes such tools from the answer to `tools/list`.
 *
 * A new tool is unknown until the server sends a change notification, or the view lists the tools itself.
 *
 * @example
 * ```ts source="./guard.examples.ts#onlyVisibleTools"
 * const guard = chain(onlyVisibleTools(new ToolDirectory(upstream)));
 * ```
 */
export const onlyVisibleTools =
  (tools: ToolDirectory): Link =>
  async (call, next) => {
    const name = String(call.params["name"]);
    if (call.method === "tools/call") {
      const tool = await tools.find(name);
      if (!tool) throw new Refusal("tool-unknown", `the server lists no tool "${name}"`);
      if (!isVisibleTo(tool, "app")) {
        throw new Refusal("tool-not-visible", `"${name}" is not for views: its visibility lacks "app"`);
      }
    }
    const result = await next(call);
    if (call.method !== "tools/list") return result;
    tools.refresh();
    const list = resultObject(result);
    return { ...list, tools: arrayAt(list, "tools").filter((tool) => isVisibleTo(tool, "app")) };
  };
