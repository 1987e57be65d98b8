/** The page of the progress. */
import { callTool, waiting } from "../page/call.js";
import { element, newId, put, set } from "../page/dom.js";
import { type Kit, startPage } from "../page/kit.js";
import { writeNumber } from "../page/write.js";
import { Poll } from "./poll.js";
import { type ProgressState, type Step, stateOf } from "./state.js";
import type { ProgressConfig } from "./template.js";

startPage<ProgressConfig>("progress", "Progress", (kit) => new Progress(kit));

type Arguments = Record<string, unknown>;

class Progress {
  /** A moving bar is shown before the first result. */
  readonly isReady = true;
  readonly #kit: Kit<ProgressConfig>;
  readonly #poll: Poll;
  readonly #bar: HTMLElement;
  readonly #fill = element("div");
  readonly #percent = element("span", { class: "percent", "aria-hidden": "true" });
  readonly #current = element("p", { class: "current", role: "status" }, "Working …");
  readonly #steps = element("ol");
  readonly #cancel = element("button", { type: "button", onclick: () => this.#question() }, "Cancel");
  readonly #confirm = element("div");
  #state: ProgressState = stateOf(undefined);
  /** Whether more results are expected. */
  #isWaiting = true;
  /** Completed steps, one per result that reported one. */
  readonly #done: Step[] = [];
  readonly #pollArgs: Arguments;
  readonly #cancelArgs: Arguments;

  constructor(kit: Kit<ProgressConfig>) {
    this.#kit = kit;
    const {
      title = "Progress",
      showPercentage,
      showCurrentStep,
      cancelTool,
      pollInterval = 2000,
    } = kit.config;
    this.#pollArgs = { ...kit.config.pollArgs };
    this.#cancelArgs = { ...kit.config.cancelArgs };
    this.#poll = new Poll(pollInterval, () => this.#ask());
    this.#bar = element(
      "div",
      {
        class: "bar moving",
        role: "progressbar",
        "aria-label": title,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
      },
      this.#fill,
    );
    put(kit.tools, cancelTool !== undefined && this.#cancel);
    put(
      kit.place,
      element("div", { class: "howfar" }, this.#bar, showPercentage !== false && this.#percent),
      showCurrentStep !== false && this.#current,
      this.#confirm,
      this.#steps,
    );
    kit.view.on("toolcancelled", () => this.#end());
    kit.channel.handle("ui/resource-teardown", () => {
      this.#poll.stop();
      return {};
    });
  }

  data(data: unknown): void {
    for (const each of Array.isArray(data) ? data : [data]) this.#take(each);
    // The tool call is over: without a tool to poll, no more results will come.
    this.#isWaiting = this.#kit.config.pollTool !== undefined;
    const { isDone, isFailed, message, percent } = this.#state;
    if (isDone) this.#end(message || (isFailed ? "Failed." : "Done."));
    else if (this.#isWaiting) this.#poll.start();
    else {
      this.#sayCurrent(message);
      if (percent === undefined && !message && !this.#done[0]) this.#kit.say("Nothing to show.");
    }
    this.redraw();
  }

  failed(): void {
    this.#end();
  }

  redraw(): void {
    const { percent, isFailed, steps = this.#done } = this.#state;
    const isKnown = percent !== undefined;
    set(this.#bar, "aria-valuenow", isKnown && percent);
    set(this.#bar, "aria-valuetext", isFailed && `${percent ?? 0} %, failed`);
    // Hide a bar that shows nothing.
    set(this.#bar, "hidden", !isKnown && !this.#isWaiting);
    const isMoving = !isKnown && this.#isWaiting;
    set(this.#bar, "class", isFailed ? "bar stopped" : isMoving ? "bar moving" : "bar");
    this.#fill.style.inlineSize = isKnown ? `${percent}%` : "";
    put(this.#percent, isKnown && writeNumber(this.#kit, percent / 100, { style: "percent" }));
    put(
      this.#steps,
      ...steps.map(({ label, status }) =>
        element("li", { class: status }, element("span", { class: "unseen" }, `${status}: `), label),
      ),
    );
  }

  /** Applies one result. */
  #take(data: unknown): void {
    this.#state = stateOf(data);
    const { pollArgs, cancelArgs } = Object(data);
    Object.assign(this.#pollArgs, pollArgs);
    Object.assign(this.#cancelArgs, cancelArgs);
    const { message, steps } = this.#state;
    if (!message) return;
    this.#sayCurrent(message);
    // A job may report the same step more than once.
    const status = this.#state.isFailed ? "failed" : "done";
    if (!steps && this.#done.at(-1)?.label !== message) this.#done.push({ label: message, status });
  }

  /** Only changes, because screen readers announce it. */
  #sayCurrent(text: string): void {
    if (this.#current.textContent !== text) put(this.#current, text);
  }

  async #ask(): Promise<boolean> {
    const { pollTool = "" } = this.#kit.config;
    const { ok, data } = await callTool(this.#kit, pollTool, this.#pollArgs);
    // It may have been cancelled in the meantime.
    if (ok && this.#poll.isOn) this.data(data);
    return ok;
  }

  /** Stops polling and removes the cancel button. */
  #end(text = ""): void {
    this.#poll.stop();
    this.#isWaiting = false;
    this.#sayCurrent(text);
    put(this.#kit.tools);
    put(this.#confirm);
    this.redraw();
  }

  /** Asks within the page: a sandboxed frame has no browser dialogs. */
  #question(): void {
    const { cancelConfirm = "Are you sure you want to cancel?" } = this.#kit.config;
    const id = newId();
    const close = (): void => {
      put(this.#confirm);
      this.#cancel.focus();
    };
    const yes = element("button", { type: "button", class: "main" }, "Yes, cancel");
    yes.onclick = () => void this.#stop(yes);
    const no = element("button", { type: "button", onclick: close }, "No");
    put(
      this.#confirm,
      element(
        "div",
        {
          class: "question",
          role: "alertdialog",
          "aria-labelledby": id,
          onkeydown: (event: KeyboardEvent) => {
            if (event.key !== "Escape") return;
            // Escape answers this question; the host must not react to it.
            event.preventDefault();
            close();
          },
        },
        element("p", { id }, cancelConfirm),
        element("div", { class: "row" }, yes, no),
      ),
    );
    no.focus();
  }

  async #stop(button: HTMLButtonElement): Promise<void> {
    if (button.ariaDisabled) return;
    const call = callTool(this.#kit, this.#kit.config.cancelTool ?? "", this.#cancelArgs);
    const { ok, data, text } = await waiting(call, button);
    if (ok) {
      this.#end();
      return this.#kit.say(typeof data === "string" ? data : "Cancelled.");
    }
    // Shown here, because the next result would clear the other message.
    this.#kit.complain();
    put(this.#confirm, element("p", { class: "problem", role: "alert" }, `Not cancelled: ${text}`));
    this.#cancel.focus();
  }
}
