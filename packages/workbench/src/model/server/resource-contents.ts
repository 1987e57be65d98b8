/**
 * Contents of a resource, as a server answered them.
 *
 * @module
 */
import { decode, HOST_END, type ResourceContents } from "@vitrine/protocol";
import { isFields } from "../app/foreign.js";

/** The contents of an answer to `resources/read`; undefined if it has another form. */
export function contentsOf(result: unknown): ResourceContents[] | undefined {
  const list = isFields(result) ? result["contents"] : undefined;
  if (!Array.isArray(list)) return undefined;
  // A tool's result may embed contents of the same form.
  const content = list.map((resource: unknown) => ({ type: "resource", resource }));
  const decoded = decode(HOST_END.results["tools/call"], { content });
  if (!decoded.ok) return undefined;
  return decoded.value.content.flatMap((block) => (block.type === "resource" ? [block.resource] : []));
}
