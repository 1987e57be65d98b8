/** The page of the choice. */
import { callTool, waiting } from "../page/call.js";
import { element, put, set } from "../page/dom.js";
import { type Kit, type Page, startPage } from "../page/kit.js";
import { Said } from "../page/said.js";
import { sendMessage, tellModel } from "../page/tell.js";
import { type Asked, askedOf } from "./options.js";
import type { ChoiceConfig } from "./template.js";

startPage<ChoiceConfig>("choice", "Choice", (kit) => new Choice(kit));

class Choice implements Page {
  readonly #kit: Kit<ChoiceConfig>;
  readonly #group = element("fieldset");
  readonly #button = element("button", { class: "main" }, "Submit");
  readonly #said = new Said();
  readonly isReady: boolean;
  #asked: Asked | undefined;
  #inputs: HTMLInputElement[] = [];
  #isOver = false;
  #isWriting = false;

  constructor(kit: Kit<ChoiceConfig>) {
    this.#kit = kit;
    this.isReady = !!kit.config.options;
    if (this.isReady) this.data(undefined);
  }

  /** The model may ask through its tool's arguments. Users can answer once the arguments are complete. */
  input(input: Record<string, unknown>, isWhole?: boolean): void {
    if (askedOf(input, this.#kit.config).options.length === 0) return;
    this.data(input);
    if (!this.isReady) this.#write(!isWhole);
  }

  #write(isWriting: boolean): void {
    if (isWriting === this.#isWriting) return;
    this.#isWriting = isWriting;
    set(this.#button, "aria-disabled", isWriting && "true");
  }

  data(data: unknown): void {
    const asked = askedOf(data, this.#kit.config);
    // If the tool has nothing to add, the question from the arguments stays, with the user's current choice.
    this.#write(false);
    const isSame = asked.options.length === 0 || JSON.stringify(asked) === JSON.stringify(this.#asked);
    if (this.#isOver || (this.#asked && isSame)) return;
    this.#asked = asked;
    const { question, options, isMultiple } = asked;
    const chosen = this.#chosen().map(({ value }) => value);
    this.#inputs = options.map(({ value }) =>
      element("input", {
        type: isMultiple ? "checkbox" : "radio",
        name: "choice",
        value: `${value}`,
        checked: chosen.includes(`${value}`),
      }),
    );
    put(
      this.#group,
      element("legend", {}, question || (isMultiple ? "Choose any of these" : "Choose one")),
      ...options.map(({ label, description }, at) =>
        element(
          "label",
          { class: "option" },
          this.#inputs[at],
          element("span", {}, label, description && element("span", { class: "note" }, description)),
        ),
      ),
    );
    const row = element("div", { class: "row" }, this.#button);
    const form = element("form", {}, this.#group, row, this.#said.node);
    // Listens for clicks, which Enter on an option triggers too: a sandbox without `allow-forms` fires no
    // `submit`.
    this.#button.onclick = (event) => {
      event.preventDefault();
      if (form.reportValidity()) void this.#send();
    };
    put(this.#kit.place, options.length > 0 ? form : "There is nothing to choose from.");
  }

  #chosen(): HTMLInputElement[] {
    return this.#inputs.filter(({ checked }) => checked);
  }

  async #send(): Promise<void> {
    const { submitTool, submitArgs, argument = "choice" } = this.#kit.config;
    const { question, options, isMultiple } = this.#asked as Asked;
    if (this.#button.ariaDisabled) return;
    const chosen = options.filter((_option, at) => this.#inputs[at]?.checked);
    if (chosen.length === 0) {
      this.#kit.complain(isMultiple ? "Choose at least one." : "Choose one.");
      return this.#inputs[0]?.focus();
    }
    this.#kit.complain();
    const labels = chosen.map(({ label }) => label).join(", ");
    const values = chosen.map(({ value }) => value);
    if (!submitTool) {
      const message = sendMessage(this.#kit, `${question ? `${question} ` : ""}${labels}`);
      const isTaken = await waiting(message, this.#button);
      return isTaken ? this.#end(`Chosen: ${labels}`) : undefined;
    }
    this.#said.say("Sending …", "status busy");
    const args = { ...submitArgs, [argument]: isMultiple ? values : values[0] };
    const { ok, text } = await waiting(callTool(this.#kit, submitTool, args), this.#button);
    if (!ok) return this.#said.say();
    this.#end(text || `Chosen: ${labels}`);
    await tellModel(
      this.#kit,
      `${question || "The user chose"}: ${labels}. ${submitTool} answered: ${text}`,
      args,
    );
  }

  /** Marks the question as answered, for good. */
  #end(text: string): void {
    this.#isOver = true;
    this.#group.disabled = true;
    set(this.#button, "aria-disabled", "true");
    this.#said.say(text);
  }

  /** Keeps the user's choice. */
  redraw(): void {}
}
