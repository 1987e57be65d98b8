/**
 * Requests of a page to the host: add a message, inform the model, download a file.
 *
 * @module
 */
import type { Kit } from "./kit.js";

/**
 * Adds a message to the conversation. With `isBesides`, a refusal is not shown as an error. Returns whether
 * the host accepted it.
 */
export const sendMessage = (kit: Kit<unknown>, text: string, isBesides = false): Promise<boolean> =>
  ask(kit, "ui/message", { role: "user", content: [{ type: "text", text }] }, isBesides);

/** Updates the model's context, without a message in the conversation. A refusal is not an error. */
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

/** Offers the user a file to download. */
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
    if (isError) throw new Error("The host refused.");
    return true;
  } catch (error) {
    if (!isQuiet) kit.complain((error as Error).message);
    return false;
  }
}
