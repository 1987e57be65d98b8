/**
 * A question to the person, drawn by the host page above an app, where no app can draw.
 *
 * @module
 */
import { warnedName } from "../download.js";
import type { Answer, Question } from "../guard/consent.js";
import { arrayAt, resultObject } from "../guard/listing.js";
import { button, make } from "./chrome.js";
import { frameOf } from "./frame.js";
import { watchSight } from "./sight.js";

/** Characters that are shown; of what is left out, it is said how much (attack C21). */
const SHOWN = 100_000;

/** What is shown of a question; one of a gateway's has it too, and says which answers can be remembered. */
export type FrameQuestion = Pick<
  Question,
  "view" | "server" | "title" | "subject" | "reason" | "method" | "params" | "files" | "scope"
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
  const { server, title, subject, reason, scope = subject || server, remember = ["always"] } = question;
  const detail = detailOf(question);
  const rest = detail.length - SHOWN;
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      sight.stop();
      box.remove();
      resolve(answer);
    };
    const deny = (): void => end({ answer: "deny" });
    // What a yes is for stands on its button.
    const words = {
      once: "Allow once",
      session: `Allow ${scope} for this session`,
      always: `Always allow ${scope}`,
    };
    const yes = (["once", ...remember] as const).map((how) =>
      choice(words[how], () => sight.counts() && end({ answer: "allow", remember: how })),
    );
    const text = line("pre", detail.slice(0, SHOWN));
    const more = line("p", "Scroll in it to read all.");
    // What would not count does not look as if it did, and what is cut not as if it were all.
    const draw = (): void => {
      more.hidden = text.scrollHeight <= text.clientHeight;
      const counts = sight.counts();
      const style = `display:inline-block;margin-top:4px;opacity:${counts ? 1 : 0.5}`;
      for (const each of yes) Object.assign(each, { style, ariaDisabled: `${!counts}` });
    };
    const box = make(
      "div",
      { part: "prompt notice panel", role: "alertdialog" },
      make("strong", {}),
      line("p", reason),
      // What has no subject has no title of its own either.
      line("p", subject && title !== subject ? `${title} (${subject})` : subject),
      text,
      line("p", rest > 0 ? `${rest} more characters` : ""),
      more,
      // A no that was not meant harms nobody.
      choice("Deny", deny),
      ...yes,
    );
    signal.addEventListener("abort", deny);
    place.append(box);
    const sight = watchSight(box, draw);
    draw();
    entitle(box, server);
    // It may have been taken back before anybody listened.
    if (signal.aborted) deny();
  });
}

/** A button for people: a script's click is none. */
const choice = (text: string, act: () => void): HTMLElement =>
  button(visible(text), ({ isTrusted }) => isTrusted && act());

/** Says who asks: the app by the name of the frame that the question is in, and its server (D07). */
export function entitle(box: Element, server: string): void {
  const app = box.closest("dialog")?.ariaLabel;
  box.ariaLabel = visible(`${app ? `${app} · ` : ""}${server} asks`);
  box.children[0]?.replaceChildren(box.ariaLabel);
}

/** What exactly is to be done, for a person to read; by the method, so that nothing else that is sent along hides it. */
function detailOf({ method, params, files }: FrameQuestion): string {
  if (method === "ui/open-link") return `${params["url"]}`;
  if (method === "ui/message") return arrayAt(params, "content").map(blockText).join("\n");
  return files?.map(warnedName).join("\n") ?? JSON.stringify(params, null, 1);
}

function blockText(block: unknown): string {
  const { type, text } = resultObject(block);
  return type === "text" ? `${text}` : JSON.stringify(block, null, 1);
}

/** Text in which characters show that nobody sees, and that turn around how others are read: as in an address. */
const visible = (text: string): string => text.replace(/\p{Cf}/gu, encodeURIComponent);

const line = (tag: "p" | "pre", text: string): HTMLElement => make(tag, visible(text));
