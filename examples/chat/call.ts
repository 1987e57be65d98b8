import type { FrameView } from "@vitrine/host";
import type { CallToolResult, Tool } from "@vitrine/protocol";

/** A tool with a view, as `/apps` lists it. */
export interface App {
  tool: Tool;
  view: FrameView;
}

/** Calls a tool for the model. Views have a route of their own, `/rpc`, with the rights of a view. */
export async function callTool(name: string, input: Record<string, unknown>): Promise<CallToolResult> {
  const answer = await fetch("/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, input }),
  });
  if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
  return answer.json();
}

/** The text that the user reads if the app cannot be shown. */
export const textOf = (result?: CallToolResult): string =>
  (result?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n");
