/**
 * Submits a form: the values go to a tool, and the model and the conversation are informed.
 *
 * @module
 */
import type { Tool } from "@vitrine/protocol";
import type { SubmitConfig } from "../form/template.js";
import { callTool, waiting } from "./call.js";
import { element, put } from "./dom.js";
import type { Fields } from "./fields.js";
import type { Answer, Kit } from "./kit.js";
import type { Said } from "./said.js";
import { sendMessage, tellModel } from "./tell.js";

/** The tool of this view, from the host or from the document. */
export const shownTool = (kit: Kit<SubmitConfig>): Tool | undefined =>
  kit.view.getHostContext()?.toolInfo?.tool ?? (kit.config as { tool?: Tool }).tool;

/** The tool that gets the values. */
export const toolOf = (kit: Kit<SubmitConfig>): string | undefined =>
  kit.config.submitTool ?? shownTool(kit)?.name;

/** Submits the fields. Returns undefined if a submission is already in progress. */
export async function submit(
  kit: Kit<SubmitConfig>,
  fields: readonly Fields[],
  button: HTMLButtonElement,
  said: Said,
): Promise<Answer | undefined> {
  if (button.ariaDisabled) return undefined;
  const values = Object.assign({}, ...fields.map((each) => each.values()));
  const open = fields.flatMap((each) => each.told()).filter(({ text, isSecret }) => text && !isSecret);
  const words = open.map(({ name, text }) => `${name}: ${text}`).join(", ");
  const tool = toolOf(kit);
  let answer: Answer = { ok: true, data: undefined, text: "", problems: {} };
  if (tool) {
    said.say("Sending …", "status busy");
    answer = await waiting(callTool(kit, tool, { ...kit.config.submitArgs, ...values }), button);
    said.say(answer.ok ? answer.text || "Done." : "");
    if (!answer.ok) return answer;
    const told = Object.fromEntries(open.map(({ name }) => [name, values[name]]));
    await tellModel(kit, `The form was submitted: ${words}. ${tool} answered: ${answer.text}`, told);
  }
  const message = sendMessage(kit, `Form submitted: ${words}`, !!tool);
  // Without a tool, the message is the only thing to wait for.
  const isTaken = await (tool ? message : waiting(message, button));
  if (isTaken && !tool) said.say("Sent.");
  return answer;
}

/** A cancel button, if configured. */
export function cancelButton(kit: Kit<SubmitConfig>): HTMLElement | false {
  const cancel = (): void => {
    put(kit.place);
    kit.complain();
    kit.say("Cancelled.");
    void sendMessage(kit, "Form cancelled");
  };
  return !!kit.config.cancelable && element("button", { type: "button", onclick: cancel }, "Cancel");
}
