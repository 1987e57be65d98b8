/**
 * A question to the person, drawn by the host page above an app, where no app can draw.
 *
 * @module
 */
import type { Answer, Ask, Question } from "../guard/consent.js";
import { frameOf } from "./frame.js";

/** Milliseconds before an answer counts: a click that was meant for something else does not agree (attack C21). */
const DELAY = 600;

/**
 * Asks the person in the frame of the view that wants something: give it to a guard as `ask`.
 *
 * @example
 * ```ts source="../frame.examples.ts#askInFrame"
 * const guard = standardGuard(upstream, { ask: askInFrame });
 * ```
 */
export const askInFrame: Ask = (question, signal) => {
  const frame = frameOf(question.view);
  return frame ? prompt(frame.notices, question, signal) : { answer: "deny" };
};

/** Shows a question, and gives the person's answer. */
function prompt(place: HTMLElement, question: Question, signal: AbortSignal): Promise<Answer> {
  const { server, title, subject, reason, method, params, files } = question;
  const box = document.createElement("div");
  box.setAttribute("role", "alertdialog");
  box.setAttribute("part", "prompt");
  const add = (tag: string, text: string): HTMLElement => {
    const element = document.createElement(tag);
    // Text only: every word of it may be the app's or its server's (attack C15).
    element.textContent = text;
    box.append(element);
    return element;
  };
  const heading = add("strong", `${server} asks`);
  box.setAttribute("aria-label", heading.textContent ?? "");
  add("p", reason);
  add("p", title === subject ? title : `${title} (${subject})`);
  const detail =
    files?.join("\n") ?? (method === "ui/open-link" ? params["url"] : JSON.stringify(params, null, 1));
  add("pre", `${detail}`.slice(0, 4000));
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      signal.removeEventListener("abort", withdraw);
      box.remove();
      resolve(answer);
    };
    const withdraw = (): void => end({ answer: "deny" });
    const shown = performance.now();
    const button = (text: string, answer: Answer): void => {
      add("button", text).addEventListener("click", ({ isTrusted }) => {
        if (isTrusted && performance.now() - shown > DELAY) end(answer);
      });
    };
    button("Deny", { answer: "deny" });
    button("Allow once", { answer: "allow" });
    button("Always allow", { answer: "allow", remember: "always" });
    signal.addEventListener("abort", withdraw);
    place.append(box);
  });
}
