/**
 * Restricts the page and its model to tools that are visible to the model.
 *
 * @module
 */
import { type Link, Refusal, type ToolDirectory } from "@vitrine/guard";
import { isVisibleTo } from "@vitrine/protocol";

/** Refuses a tool that is unknown, or that only the server's own views may call. */
export const onlyForModel =
  (tools: ToolDirectory): Link =>
  async (call, next) => {
    const name = String(call.params["name"]);
    const tool = await tools.find(name);
    if (!tool)
      throw new Refusal("tool-unknown", `the server lists no tool ${JSON.stringify(name.slice(0, 200))}`);
    if (!isVisibleTo(tool, "model")) {
      throw new Refusal("tool-not-visible", `"${name}" is available only to the server's own views`);
    }
    return next(call);
  };
