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
  try {
    const answer = answerOf(await waiting(kit.view.callServerTool({ name, arguments: args }), button));
    if (!answer.ok) kit.complain(answer.text);
    return answer;
  } catch (error) {
    const text = (error as Error).message;
    kit.complain(text);
    return { ok: false, data: undefined, text, problems: {} };
  }
}

/** Has a button wait with something: who presses it again meanwhile asks for nothing more. */
export function waiting<Value>(work: Promise<Value>, button?: HTMLButtonElement): Promise<Value> {
  // Still in the order of the keyboard: who pressed it stays where they are.
  if (button) set(button, "aria-disabled", "true");
  return work.finally(() => button && set(button, "aria-disabled", false));
}
