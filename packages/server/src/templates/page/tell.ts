/**
 * What a page has the host do: say something in the conversation, tell the model, hand over a file.
 *
 * @module
 */
import type { Kit } from "./kit.js";

/**
 * Says something in the conversation, for the person; `isBesides` when it is done even if the host does not take it. Whether it
 * did.
 */
export const sendMessage = (kit: Kit<unknown>, text: string, isBesides = false): Promise<boolean> =>
  ask(kit, "ui/message", { role: "user", content: [{ type: "text", text }] }, isBesides);

/** Has the model know something, without a word in the conversation. A host that does not take it is no failure. */
export const tellModel = (
  kit: Kit<unknown>,
  text: string,
  structuredContent?: Record<string, unknown>,
): Promise<boolean> =>
  ask(
    kit,
    "ui/update-model-context",
    { content: [{ type: "text", text }], ...(structuredContent && { structuredContent }) },
    true,
  );

/** Hands the person a file. */
export function handFile(kit: Kit<unknown>, name: string, mimeType: string, text: string): Promise<boolean> {
  const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType, text };
  return ask(kit, "ui/download-file", { contents: [{ type: "resource", resource }] });
}

async function ask(
  kit: Kit<unknown>,
  method: "ui/message" | "ui/update-model-context" | "ui/download-file",
  params: object,
  isQuiet?: boolean,
): Promise<boolean> {
  try {
    const { isError } = Object(await kit.view.sendRequest(method, params as never));
    if (isError) throw new Error("The host did not take it.");
    return true;
  } catch (error) {
    if (!isQuiet) kit.complain((error as Error).message);
    return false;
  }
}
