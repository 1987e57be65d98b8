/**
 * Calls of tools, with what can go wrong with them.
 *
 * @module
 */
import { type Answer, answerOf, type Kit } from "./kit.js";

/** Calls a tool. Never rejects. */
export async function callTool(
  kit: Kit<unknown>,
  name: string,
  args: Record<string, unknown>,
): Promise<Answer> {
  kit.complain();
  try {
    const answer = answerOf(await kit.view.callServerTool({ name, arguments: args }));
    if (!answer.ok) kit.complain(answer.text);
    return answer;
  } catch (error) {
    const text = (error as Error).message;
    kit.complain(text);
    return { ok: false, data: undefined, text, problems: {} };
  }
}

/** Has a button wait with something: who presses it again meanwhile asks for nothing more. */
export function waiting<Value>(work: Promise<Value>, button: HTMLButtonElement): Promise<Value> {
  // Still in the order of the keyboard: who pressed it stays where they are.
  button.ariaDisabled = "true";
  return work.finally(() => {
    button.ariaDisabled = null;
  });
}
