/** The model's tool calls, as the page asks its back end for them. */
import type { CallToolResult } from "@vitrine/protocol";

//#region call
/** Calls a tool in the name of the model: not on the view's way, which has the view's rights. */
export async function callTool(name: string, input: Record<string, unknown>): Promise<CallToolResult> {
  const answer = await fetch("/call", { method: "POST", body: JSON.stringify({ name, input }) });
  if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
  return answer.json();
}

/** What a person reads when the app cannot be shown. */
export const textOf = (result?: CallToolResult): string =>
  (result?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n");
//#endregion call
