/**
 * A question to the person, drawn by the host page above an app, where no app can draw.
 *
 * @module
 */
import type { Answer, Question } from "../guard/consent.js";
import { button, make } from "./chrome.js";
import { frameOf } from "./frame.js";

/** Milliseconds before an answer counts: a click that was meant for something else does not agree (attack C21). */
const DELAY = 600;

/** Characters that are shown; of what is left out, it is said how much (attack C21). */
const SHOWN = 100_000;

/** What is shown of a question; one of a gateway's has it too, and says which answers can be remembered. */
export type FrameQuestion = Pick<
  Question,
  "view" | "server" | "title" | "subject" | "reason" | "method" | "params" | "files"
> & { readonly remember?: readonly ("session" | "always")[] | undefined };

/**
 * Asks the person in the frame of the view that wants something: give it to a guard as `ask`, or to a gateway as
 * `onask`.
 *
 * @example
 * ```ts source="../frame.examples.ts#askInFrame"
 * const guard = standardGuard(upstream, { ask: askInFrame });
 * ```
 */
export const askInFrame = async (question: FrameQuestion, signal: AbortSignal): Promise<Answer> => {
  const frame = frameOf(question.view);
  return frame ? prompt(frame.notices, question, signal) : { answer: "deny" };
};

/** Shows a question, and gives the person's answer. */
export function prompt(place: HTMLElement, question: FrameQuestion, signal: AbortSignal): Promise<Answer> {
  const { server, title, subject, reason, params, files, remember = ["always"] } = question;
  const detail = files?.join("\n") ?? JSON.stringify(params, null, 1);
  const rest = detail.length - SHOWN;
  return new Promise((resolve) => {
    const end = (answer: Answer["answer"], how?: Answer["remember"]): void => {
      uncovered.disconnect();
      box.remove();
      resolve({ answer, remember: how });
    };
    let shown = performance.now();
    let wasVisible: boolean | undefined;
    // While something lies over it, and for a moment after, a click is meant for that. Where a browser can tell.
    const uncovered = new IntersectionObserver(
      ([entry]) => {
        const { isVisible } = entry as { isVisible?: boolean };
        shown = wasVisible && !isVisible ? Number.POSITIVE_INFINITY : performance.now();
        wasVisible ||= isVisible;
      },
      { trackVisibility: true, delay: 100 } as IntersectionObserverInit,
    );
    const choice = (text: string, answer: Answer["answer"], how?: Answer["remember"]): HTMLElement =>
      button(text, ({ isTrusted }) => {
        if (isTrusted && performance.now() - shown > DELAY) end(answer, how);
      });
    const box = make(
      "div",
      { part: "prompt notice panel", role: "alertdialog", ariaLabel: `${server} asks` },
      line("strong", `${server} asks`),
      line("p", reason),
      // What has no subject has no title of its own either.
      line("p", subject && title !== subject ? `${title} (${subject})` : subject),
      line("pre", detail.slice(0, SHOWN)),
      line("p", rest > 0 ? `${rest} more characters` : ""),
      choice("Deny", "deny"),
      choice("Allow once", "allow"),
      ...remember.map((how) =>
        choice(how === "always" ? "Always allow" : "Allow for this session", "allow", how),
      ),
    );
    signal.addEventListener("abort", () => end("deny"));
    place.append(box);
    uncovered.observe(box);
    // It may have been taken back before anybody listened.
    if (signal.aborted) end("deny");
  });
}

/** Text in which characters show that nobody sees, and that turn around how others are read: as in an address. */
const line = (tag: "p" | "pre" | "strong", text: string): HTMLElement =>
  make(tag, text.replace(/\p{Cf}/gu, encodeURIComponent));
