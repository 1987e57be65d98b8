/**
 * Questions to the user, drawn by the host page where no app can draw.
 *
 * @module
 */
import { arrayAt, type ConsentAnswer, type Question, resultObject } from "@vitrine/guard";
import { language, markLanguage, promptWords } from "../words.js";
import { type ApprovalGuard, guardApproval } from "./approval-guard.js";
import { button, make } from "./chrome.js";
import { frameOf } from "./frames.js";
import { oneLine } from "./one-line.js";
import { appBoxes, freePlace, lastPointer, type Point, usedAppBoxes } from "./page-layout.js";
import { levelChoice } from "./prompt-level.js";

/** Maximum shown characters; the prompt says how many were omitted. */
const SHOWN = 100_000;

/** The shown part of a question; a gateway's question has it too, with the answers that can be remembered. */
export type FrameQuestion = Pick<
  Question,
  | "view"
  | "server"
  | "title"
  | "subject"
  | "reason"
  | "method"
  | "params"
  | "files"
  | "scope"
  | "scopeNote"
  | "tool"
  | "level"
  | "asker"
  | "agent"
  | "covers"
> & { readonly remember?: readonly ("session" | "always")[] | undefined };

type Approval = "once" | "session" | "always";

/**
 * Asks the user beside the frame of the requesting view: pass it to a guard as `ask`, or to a gateway as
 * `onask`.
 *
 * The question floats over the page and moves nothing. It never covers its own app or the one that was
 * pressed last, because the pointer may be there unseen. Without room, a button stands in for it. Presses
 * approve by the rules of {@link guardApproval}. "Always", destructive tools and fewer
 * questions need a second press, on another button.
 *
 * @example
 * ```ts source="../frame.examples.ts#askInFrame"
 * const guard = standardGuard(upstream, { ask: askInFrame });
 * ```
 */
export const askInFrame = async (question: FrameQuestion, signal: AbortSignal): Promise<ConsentAnswer> => {
  const frame = frameOf(question.view);
  return frame ? prompt(frame.notices, question, signal) : { answer: "deny" };
};

/** Shows a question, and resolves to the user's answer. */
export function prompt(
  place: HTMLElement,
  question: FrameQuestion,
  signal: AbortSignal,
): Promise<ConsentAnswer> {
  return new Promise((resolve) => {
    const end = (answer: ConsentAnswer): void => {
      guard.stop();
      removeEventListener("resize", stay);
      hide(box);
      box.remove();
      resolve(answer);
    };
    // Denying needs no second press, so it does not lead to fewer questions.
    const deny = (): void => end({ answer: "deny", level: levels?.isFewer() ? undefined : levels?.chosen() });
    const text = Object.assign(line("pre", detailOf(question).slice(0, SHOWN)), { dir: "auto" });
    const more = line("p", promptWords().scroll);
    const hint = make("div", { part: "hint", role: "status" });
    const asking = make("div", { part: "asking" });
    const request = make("div", { part: "request" });
    // In view at all times: in a low window, the request scrolls.
    const answers = make("div", { part: "answers" }, more, choice(promptWords().deny, deny));
    const confirming = make("div", { part: "confirm", hidden: true });
    const box = make("div", { part: "prompt notice panel", role: "alertdialog" }, make("strong", {}));
    const approve = (how: Approval): void => end({ answer: "allow", remember: how, level: levels?.chosen() });
    const kept: HTMLElement[] = [];
    // Whoever changes how often to ask answers this question for this time only.
    const levels =
      question.level &&
      levelChoice(question.level, () => {
        for (const each of kept) each.hidden = levels?.chosen() !== undefined;
      });
    /** Asks again, on buttons in another place. */
    const confirm = (how: Approval): void => {
      asking.hidden = true;
      confirming.hidden = false;
      const back = button(promptWords().back, () => {
        asking.hidden = false;
        confirming.replaceChildren();
        confirming.hidden = true;
        guard.restart();
      });
      const [words, yes] = confirmation(question, how, levels?.isFewer());
      const second = agree(yes, guard, () => approve(how));
      confirming.replaceChildren(line("p", words), back, second);
      guard.restart(second);
      draw();
      // Keyboard users continue here; staying approves nothing.
      back.focus();
    };
    const draw = (): void => {
      const cut = [text, request].filter((each) => each.scrollHeight > each.clientHeight + 1);
      more.hidden = cut.length === 0;
      for (const each of cut) each.tabIndex = 0;
      hint.textContent = guard.hint();
      for (const each of box.querySelectorAll<HTMLElement>("[part=agree]"))
        each.ariaDisabled = `${!guard.isReady()}`;
      box.toggleAttribute("data-covers", guard.awaitsPointer());
    };
    const note = language()?.scopeNote(question) ?? question.scopeNote ?? "";
    request.append(...describe(question), text, rest(question), line("p", note));
    asking.append(request, answers);
    markLanguage(box);
    box.append(asking, confirming, hint);
    signal.addEventListener("abort", deny);
    place.append(box);
    const guard = guardApproval(box, draw);
    for (const how of ["once", ...(question.remember ?? ["always"])] as const) {
      const yes = agree(wordsOf(question, how), guard, () =>
        how === "always" || isDestructive(question) || levels?.isFewer() ? confirm(how) : approve(how),
      );
      if (how !== "once") kept.push(yes);
      answers.append(yes);
    }
    if (levels) answers.append(levels.element);
    const stay = (): void => {
      const place = openPrompts.get(box);
      if (place) moveTo(box, ...place);
    };
    addEventListener("resize", stay);
    show(box, question.server);
    draw();
    // It may have been withdrawn before the listener was added.
    if (signal.aborted) deny();
  });
}

/**
 * Shows a question where neither an app nor the pointer is. Without such a place, a button stands in for it:
 * pressing it reveals the pointer's position.
 */
export function show(box: HTMLElement, server: string): void {
  hide(box);
  entitle(box, server);
  // The top layer, so that nothing of the page or an app covers it; and it moves nothing.
  box.popover = "manual";
  const own = box.closest("dialog")?.getBoundingClientRect();
  // Preferably beside all apps; otherwise over one that is not in use.
  if (put(box, appBoxes()) || put(box, [...usedAppBoxes(), ...(own ? [own] : [])])) return;
  const answer = choice(promptWords().answer, () => {
    hide(box);
    // The pointer is at the pressed button. A position over an app is acceptable; otherwise the end of the
    // window, even under the pointer.
    if (!put(box, [])) {
      box.showPopover();
      moveTo(box, 0, innerHeight);
    }
    box.querySelector("button")?.focus();
  });
  const standIn = make("div", { part: "waiting notice panel", role: "status" }, `${box.ariaLabel} `, answer);
  markLanguage(standIn);
  box.before(standIn);
  standIn.popover = "manual";
  standIn.showPopover();
}

/** Puts a question into a free position, if there is one. */
function put(box: HTMLElement, apps: readonly Point[]): boolean {
  box.showPopover();
  const near = box.closest("dialog")?.getBoundingClientRect();
  const boxes = [...apps, ...[...openPrompts.keys()].map((other) => other.getBoundingClientRect())];
  box.style.maxHeight = "";
  for (const isCompact of [false, true]) {
    box.toggleAttribute("data-compact", isCompact);
    const found = freePlace(box.getBoundingClientRect(), near, { boxes, pointer: lastPointer() });
    if (!found) continue;
    moveTo(box, found.left, found.top);
    return true;
  }
  box.hidePopover();
  return false;
}

/**
 * Places a question, within the window: one that becomes smaller, such as a phone that is turned or a page that is
 * zoomed, must not cut off its buttons.
 */
function moveTo(box: HTMLElement, left: number, top: number): void {
  openPrompts.set(box, [left, top]);
  box.style.maxHeight = "";
  const end = innerHeight - box.getBoundingClientRect().height - 8;
  const at = Math.max(8, Math.min(top, end));
  // It may grow later, and then scrolls.
  const maxHeight = `calc(100dvh - ${at + 8}px)`;
  Object.assign(box.style, {
    left: `clamp(8px,${left}px,100vw - min(420px,100vw - 16px) - 8px)`,
    top: `${at}px`,
    maxHeight,
  });
}

/** Hides a question and its stand-in. */
function hide(box: HTMLElement): void {
  openPrompts.delete(box);
  if (box.popover) box.hidePopover();
  const before = box.previousElementSibling;
  if (before?.matches("[part~=waiting]")) before.remove();
}

/** Visible questions, which never overlap, with the places that were found for them. */
const openPrompts = new Map<HTMLElement, [left: number, top: number]>();

/** A button that ignores scripted clicks. */
const choice = (text: string, act: () => void): HTMLElement =>
  button(visible(text), ({ isTrusted }) => isTrusted && act());

/** A button that approves. */
const agree = (text: string, guard: ApprovalGuard, act: () => void): HTMLElement =>
  Object.assign(
    button(visible(text), (click) => guard.accepts(click) && act()),
    { part: "agree" },
  );

/** Names the requester: the server first, then its app by the frame's title. */
export function entitle(box: Element, server: string): void {
  const app = box.closest("dialog")?.ariaLabel;
  box.ariaLabel = visible(promptWords().asks(server, app ?? undefined));
  box.children[0]?.replaceChildren(box.ariaLabel);
}

function describe(question: FrameQuestion): HTMLElement[] {
  const { reason, subject, title } = question;
  const name = oneLine(title);
  return [
    line("p", language()?.reason(question) ?? reason),
    // A question without a subject has no title of its own.
    line("p", subject && name !== subject ? `${name} (${subject})` : subject),
  ];
}

const isDestructive = ({ tool }: FrameQuestion): boolean => tool?.annotations?.destructiveHint === true;

const scopeOf = (question: FrameQuestion): string =>
  language()?.scope(question) ?? question.scope ?? (question.subject || question.server);

/** The button says what the approval is for. */
function wordsOf(question: FrameQuestion, how: Approval): string {
  const { allowOnce, allowForSession, alwaysAllow } = promptWords();
  if (how === "once") return allowOnce;
  return (how === "session" ? allowForSession : alwaysAllow)(scopeOf(question));
}

/** The second question, and its button. */
function confirmation(
  question: FrameQuestion,
  how: Approval,
  isFewer?: boolean,
): [words: string, button: string] {
  const { server, subject } = question;
  const words = promptWords();
  const scope = scopeOf(question);
  if (how === "always") return [words.notAskedAgain(scope), words.yesAlways(scope)];
  const fewer = isFewer ? `${words.lessOften(server)} ` : "";
  if (!isDestructive(question)) return [fewer, words.yesLessOften];
  return [`${fewer}${words.mayDestroy(subject, server)}`, words.yesRun(subject)];
}

function rest(question: FrameQuestion): HTMLElement {
  const left = detailOf(question).length - SHOWN;
  return line("p", left > 0 ? promptWords().more(left) : "");
}

/** The exact details of the action, by method, so that other params cannot hide them. */
function detailOf({ method, params, files }: FrameQuestion): string {
  if (method === "ui/open-link") return `${params["url"]}`;
  if (method === "ui/message") return arrayAt(params, "content").map(blockText).join("\n");
  return files?.join("\n") ?? JSON.stringify(params, null, 1);
}

function blockText(block: unknown): string {
  const { type, text } = resultObject(block);
  return type === "text" ? `${text}` : JSON.stringify(block, null, 1);
}

/** Escapes invisible characters and those that change the text direction. */
const visible = (text: string): string => text.replace(/\p{Cf}/gu, encodeURIComponent);

const line = (tag: "p" | "pre", text: string): HTMLElement => make(tag, visible(text));
