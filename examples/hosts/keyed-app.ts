import type { McpAppElement } from "@vitrine/host";
import type { CallToolResult } from "@vitrine/protocol";

const apps = new Map<string, McpAppElement>();

/** One app for each key, such as the server and the tool: a later call is shown in its place. */
export async function update(
  key: string,
  open: () => McpAppElement,
  input: Record<string, unknown>,
  result: CallToolResult,
) {
  let app = apps.get(key);
  if (app) await app.frame?.nextCall();
  else apps.set(key, (app = open()));
  app.bridge?.sendToolInput(input);
  app.bridge?.sendToolResult(result);
}
