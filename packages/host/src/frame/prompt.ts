/**
 * A question to the person, drawn by the host page where no app can draw.
 *
 * @module
 */
import { type Answer, arrayAt, type Question, resultObject } from "@vitrine/guard";
import { type ApprovalGuard, guardApproval } from "./approval-guard.js";
import { button, make } from "./chrome.js";
import { frameOf } from "./frame.js";
import { oneLine } from "./one-line.js";
import { appBoxes, freePlace, lastPointer, type Point, usedAppBoxes } from "./page-layout.js";

/** Characters that are shown; of what is left out, it is said how much (attack C21). */
const SHOWN = 100_000;

/** What is shown of a question; one of a gateway's has it too, and says which answers can be remembered. */
export type FrameQuestion = Pick<
  Question,
  "view" | "server" | "title" | "subject" | "reason" | "method" | "params" | "files" | "scope" | "tool"
> & { readonly remember?: readonly ("session" | "always")[] | undefined };

type Approval = "once" | "session" | "always";

/**
 * Asks the person beside the frame of the view that wants something: give it to a guard as `ask`, or to a gateway as
 * `onask`.
 *
 * The question floats over the page and moves nothing. It never lies over its own app or the one that was pressed last,
 * as the pointer may be there unseen. Without room for it, a button says that there is one. Presses approve by the rules of {@link guardApproval}. "Always" and
 * destructive tools take a second press, on another button.
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
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      guard.stop();
      hide(box);
      box.remove();
      resolve(answer);
    };
    const deny = (): void => end({ answer: "deny" });
    const text = line("pre", detailOf(question).slice(0, SHOWN));
    const more = line("p", "Scroll in it to read all.");
    const hint = make("div", { part: "hint", role: "status" });
    const asking = make("div", {});
    const confirming = make("div", { part: "confirm", hidden: true });
    const box = make("div", { part: "prompt notice panel", role: "alertdialog" }, make("strong", {}));
    const approve = (how: Approval): void => end({ answer: "allow", remember: how });
    /** Asks once more, on buttons that are elsewhere. */
    const confirm = (how: Approval): void => {
      asking.hidden = true;
      confirming.hidden = false;
      const back = button("Back", () => {
        asking.hidden = false;
        confirming.replaceChildren();
        confirming.hidden = true;
        guard.restart();
      });
      const [words, yes] = confirmation(question, how);
      const second = agree(yes, guard, () => approve(how));
      confirming.replaceChildren(line("p", words), back, second);
      guard.restart(second);
      draw();
      // With the keyboard, one goes on from here; nothing is agreed to by staying.
      back.focus();
    };
    const draw = (): void => {
      more.hidden = text.scrollHeight <= text.clientHeight;
      if (!more.hidden) text.tabIndex = 0;
      hint.textContent = guard.hint();
      for (const each of box.querySelectorAll<HTMLElement>("[part=agree]"))
        each.ariaDisabled = `${!guard.isReady()}`;
      box.toggleAttribute("data-covers", guard.awaitsPointer());
    };
    asking.append(...describe(question), text, rest(question), more, choice("Deny", deny));
    box.append(asking, confirming, hint);
    signal.addEventListener("abort", deny);
    place.append(box);
    const guard = guardApproval(box, draw);
    for (const how of ["once", ...(question.remember ?? ["always"])] as const)
      asking.append(
        agree(wordsOf(question, how), guard, () =>
          how === "always" || isDestructive(question) ? confirm(how) : approve(how),
        ),
      );
    show(box, question.server);
    draw();
    // It may have been taken back before anybody listened.
    if (signal.aborted) deny();
  });
}

/**
 * Shows a question where neither an app nor the pointer is. Without such a place, a button stands in for it: its press says
 * where the pointer is.
 */
export function show(box: HTMLElement, server: string): void {
  hide(box);
  entitle(box, server);
  // In the top layer nothing of the page or of an app lies over it; and it moves nothing.
  box.popover = "manual";
  const own = box.closest("dialog")?.getBoundingClientRect();
  // Best beside all apps; over one that nobody is using, if there is no other room.
  if (put(box, appBoxes()) || put(box, [...usedAppBoxes(), ...(own ? [own] : [])])) return;
  const answer = choice("Answer", () => {
    hide(box);
    // The pointer is where the person pressed. A place over an app will do; at worst, the middle of the window.
    if (!put(box, [])) box.showPopover();
    box.querySelector("button")?.focus();
  });
  const standIn = make("div", { part: "waiting notice panel", role: "status" }, `${box.ariaLabel} `, answer);
  box.before(standIn);
  standIn.popover = "manual";
  standIn.showPopover();
}

/** Puts a question into a free place, if there is one. */
function put(box: HTMLElement, apps: readonly Point[]): boolean {
  box.showPopover();
  const near = box.closest("dialog")?.getBoundingClientRect();
  const boxes = [...apps, ...[...openPrompts].map((other) => other.getBoundingClientRect())];
  box.style.maxHeight = "";
  for (const isCompact of [false, true]) {
    box.toggleAttribute("data-compact", isCompact);
    const found = freePlace(box.getBoundingClientRect(), near, { boxes, pointer: lastPointer() });
    if (!found) continue;
    // It may grow later, and scrolls then.
    const maxHeight = `calc(100vh - ${found.top + 8}px)`;
    Object.assign(box.style, { left: `${found.left}px`, top: `${found.top}px`, maxHeight });
    openPrompts.add(box);
    return true;
  }
  box.hidePopover();
  return false;
}

/** Takes a question out of sight, and what stands in for it. */
function hide(box: HTMLElement): void {
  openPrompts.delete(box);
  if (box.popover) box.hidePopover();
  const before = box.previousElementSibling;
  if (before?.matches("[part~=waiting]")) before.remove();
}

/** Questions in sight: two never lie over each other. */
const openPrompts = new Set<HTMLElement>();

/** A button for people: a script's click is none. */
const choice = (text: string, act: () => void): HTMLElement =>
  button(visible(text), ({ isTrusted }) => isTrusted && act());

/** A button that approves. */
const agree = (text: string, guard: ApprovalGuard, act: () => void): HTMLElement =>
  Object.assign(
    button(visible(text), (click) => guard.accepts(click) && act()),
    { part: "agree" },
  );

/** Says who asks: the server first, then its app by the name of the frame that the question is in (D07, attack E05). */
export function entitle(box: Element, server: string): void {
  const app = box.closest("dialog")?.ariaLabel;
  box.ariaLabel = visible(`${server} asks${app ? ` · ${app}` : ""}`);
  box.children[0]?.replaceChildren(box.ariaLabel);
}

function describe({ reason, subject, title }: FrameQuestion): HTMLElement[] {
  const name = oneLine(title);
  return [
    line("p", reason),
    // What has no subject has no title of its own either.
    line("p", subject && name !== subject ? `${name} (${subject})` : subject),
  ];
}

const isDestructive = ({ tool }: FrameQuestion): boolean => tool?.annotations?.destructiveHint === true;

const scopeOf = ({ scope, subject, server }: FrameQuestion): string => scope ?? (subject || server);

/** What an approval is for stands on its button. */
const wordsOf = (question: FrameQuestion, how: Approval): string =>
  how === "once"
    ? "Allow once"
    : how === "session"
      ? `Allow ${scopeOf(question)} for this session`
      : `Always allow ${scopeOf(question)}`;

/** The second question, and its button. */
function confirmation(question: FrameQuestion, how: Approval): [words: string, button: string] {
  const { server, subject } = question;
  if (how === "always")
    return [
      `You will not be asked again about ${scopeOf(question)}.`,
      `Yes, always allow ${scopeOf(question)}`,
    ];
  return [`${subject} of ${server} may delete or overwrite something for good.`, `Yes, run ${subject}`];
}

function rest(question: FrameQuestion): HTMLElement {
  const left = detailOf(question).length - SHOWN;
  return line("p", left > 0 ? `${left} more characters` : "");
}

/** What exactly is to be done, for a person to read; by the method, so that nothing else that is sent along hides it. */
function detailOf({ method, params, files }: FrameQuestion): string {
  if (method === "ui/open-link") return `${params["url"]}`;
  if (method === "ui/message") return arrayAt(params, "content").map(blockText).join("\n");
  return files?.join("\n") ?? JSON.stringify(params, null, 1);
}

function blockText(block: unknown): string {
  const { type, text } = resultObject(block);
  return type === "text" ? `${text}` : JSON.stringify(block, null, 1);
}

/** Text in which characters show that nobody sees, and that turn around how others are read: as in an address. */
const visible = (text: string): string => text.replace(/\p{Cf}/gu, encodeURIComponent);

const line = (tag: "p" | "pre", text: string): HTMLElement => make(tag, visible(text));
