/**
 * Calls tools, with error handling.
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

/** Disables a button while work is in progress, so that another press does nothing. */
export function waiting<Value>(work: Promise<Value>, button: HTMLButtonElement): Promise<Value> {
  // `aria-disabled` keeps the button focusable, so the focus stays.
  button.ariaDisabled = "true";
  return work.finally(() => {
    button.ariaDisabled = null;
  });
}
