import type { McpAppElement } from "@vitrine/host";
import type { CallToolResult } from "@vitrine/protocol";

const apps = new Map<string, McpAppElement>();

/** Shows a call in the app of its key, such as the server and the tool. A later call takes the place of an earlier one. */
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
