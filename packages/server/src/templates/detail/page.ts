/** The page of the detail card. */

import { isRecord } from "@vitrine/protocol";
import { callTool, waiting } from "../page/call.js";
import { element, put } from "../page/dom.js";
import { type Kit, startPage } from "../page/kit.js";
import { tellModel } from "../page/tell.js";
import { filled, type Json, recordOf } from "./record.js";
import type { DetailAction, DetailConfig } from "./template.js";
import { card } from "./value.js";

startPage<DetailConfig>("detail", "Details", (kit) => new Detail(kit));

class Detail {
  readonly #kit: Kit<DetailConfig>;
  readonly #card = element("div", { class: "card" });
  readonly #actions = element("div", { class: "row actions" });
  #record: Json = {};
  #isBusy = false;

  constructor(kit: Kit<DetailConfig>) {
    this.#kit = kit;
  }

  /** Accepts a whole record, or two or more of its fields: a single one is probably a search argument. */
  written(input: Json): unknown {
    const { fields = [] } = this.#kit.config;
    const isRecordItself = fields.some(({ key }) => key === "items");
    const own = recordOf(input["record"]) ?? (isRecordItself ? undefined : recordOf(input["items"]));
    return own ?? (fields.filter(({ key }) => key in input)[1] && input);
  }

  data(data: unknown): void {
    const record = recordOf(
      data,
      this.#kit.config.fields?.map(({ key }) => key),
    );
    if (!record || Object.keys(record).length === 0) {
      put(this.#kit.place, typeof data === "string" && element("p", {}, data));
      if (typeof data !== "string") this.#kit.say("Nothing to show.");
      return;
    }
    this.#record = record;
    this.redraw();
    this.#offer();
    put(this.#kit.place, this.#card, this.#actions);
  }

  redraw(): void {
    put(this.#card, ...card(this.#kit, this.#record, this.#kit.config.fields));
  }

  /** Shows the buttons, with the focus on the last used one. */
  #offer(chosen?: DetailAction): void {
    const { actions = [] } = this.#kit.config;
    const buttons = actions.map((action) => {
      const button = element("button", { type: "button", class: action.style }, action.label);
      button.onclick = () => {
        if (this.#isBusy) return;
        if (action.confirm === undefined) void this.#do(action, button);
        else this.#ask(action, action.confirm);
      };
      return button;
    });
    put(this.#actions, ...buttons);
    if (chosen) buttons[actions.indexOf(chosen)]?.focus();
  }

  /** Asks within the page: a sandboxed frame has no browser dialogs. */
  #ask(action: DetailAction, question: string): void {
    const back = (): HTMLButtonElement | undefined => {
      this.#offer(action);
      return document.activeElement as HTMLButtonElement;
    };
    const yes = element("button", {
      type: "button",
      class: action.style,
      onclick: () => this.#do(action, back()),
    });
    const no = element("button", { type: "button", onclick: back }, "Cancel");
    const onkeydown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // Escape answers this question; the host must not leave fullscreen for it.
      event.preventDefault();
      back();
    };
    put(yes, action.label);
    const group = { class: "row", role: "alertdialog", "aria-label": question, onkeydown };
    put(this.#actions, element("div", group, element("strong", {}, question), yes, no));
    no.focus();
  }

  async #do({ label, tool, args = {} }: DetailAction, button: HTMLButtonElement | undefined): Promise<void> {
    this.#isBusy = true;
    this.#kit.say(`${label} …`, true);
    const call = callTool(this.#kit, tool, filled(args, this.#record) as Json);
    const { ok, data, text } = await (button ? waiting(call, button) : call);
    this.#isBusy = false;
    if (!ok) return this.#kit.say();
    const isNew = isRecord(data) && Object.keys(this.#record).every((key) => key in data);
    if (isNew) this.#record = data;
    if (isNew) this.redraw();
    // A text that repeats the data is not worth showing.
    const said = text && !/^\s*[[{]/.test(text) ? text : `${label}: done.`;
    this.#kit.say(said);
    await tellModel(this.#kit, `The user chose "${label}" (tool ${tool}): ${said}`);
  }
}
