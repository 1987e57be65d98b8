/**
 * Calls of tools, with what can go wrong with them.
 *
 * @module
 */
import { set } from "./dom.js";
import { type Answer, answerOf, type Kit } from "./kit.js";

/** Calls a tool; a button that is given waits with it. Never rejects. */
export async function callTool(
  kit: Kit<unknown>,
  name: string,
  args: Record<string, unknown>,
  button?: HTMLButtonElement,
): Promise<Answer> {
  kit.complain();
  // Still in the order of the keyboard: who pressed it stays where they are.
  if (button) set(button, "aria-disabled", "true");
  try {
    const answer = answerOf(await kit.view.callServerTool({ name, arguments: args }));
    if (!answer.ok) kit.complain(answer.text);
    return answer;
  } catch (error) {
    const text = (error as Error).message;
    kit.complain(text);
    return { ok: false, data: undefined, text, problems: {} };
  } finally {
    if (button) set(button, "aria-disabled", false);
  }
}
