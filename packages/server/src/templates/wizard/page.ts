/** The page of the wizard. */
import { isFilling } from "../form/is-filling.js";
import { element, put } from "../page/dom.js";
import { Fields } from "../page/fields.js";
import { type Answer, type Kit, type Page, startPage } from "../page/kit.js";
import { Said } from "../page/said.js";
import { cancelButton, submit } from "../page/submit.js";
import type { WizardConfig } from "./template.js";

startPage<WizardConfig>("wizard", "Wizard", (kit) => new Wizard(kit));

class Wizard implements Page {
  readonly isReady = true;
  readonly #kit: Kit<WizardConfig>;
  readonly #steps: readonly Fields[];
  readonly #said = new Said();
  readonly #list = element("ol", { class: "steps" });
  readonly #heading = element("h2", { tabindex: -1 });
  readonly #body = element("div", { class: "step" });
  readonly #buttons = element("div", { class: "row" });
  readonly #next = element("button", { class: "main" });
  #at = 0;

  constructor(kit: Kit<WizardConfig>) {
    this.#kit = kit;
    this.#steps = kit.config.steps.map(({ fields }) => new Fields(fields));
    // Listens for clicks, which Enter in a field triggers too: a sandbox without `allow-forms` fires no
    // `submit`.
    this.#next.onclick = (event) => {
      event.preventDefault();
      void this.#goOn();
    };
    put(
      kit.place,
      this.#list,
      element(
        "form",
        { novalidate: true, "aria-label": kit.config.title ?? "Wizard" },
        this.#heading,
        this.#body,
        this.#buttons,
        this.#said.node,
      ),
    );
    this.#show(0);
  }

  input(input: unknown): void {
    for (const fields of this.#steps) fields.fill(input);
    if (this.#at === this.#steps.length) this.#show(this.#at);
  }

  /** Data fills the steps. Other data is the result of the view's own tool. */
  data(data: unknown, text: string): void {
    const { steps, submitTool } = this.#kit.config;
    this.input(data);
    const asked = steps.flatMap(({ fields }) => fields);
    if (!isFilling(data, asked) && !submitTool) this.#said.say(text);
  }

  failed({ problems }: Answer): void {
    this.#blame(problems);
  }

  /** Keeps the user's input. */
  redraw(): void {}

  #show(at: number): void {
    const { steps } = this.#kit.config;
    const step = steps[at];
    this.#at = at;
    put(
      this.#list,
      ...[...steps.map(({ title }) => title), "Summary"].map((title, index) =>
        element("li", { "aria-current": index === at && "step", class: index < at && "past" }, title),
      ),
    );
    put(this.#heading, step?.title ?? "Is this right?");
    const about = step?.description && element("p", {}, step.description);
    put(this.#body, about, ...(this.#steps[at]?.nodes ?? [this.#summary()]));
    put(this.#next, step ? "Next" : "Submit");
    const back = element("button", { type: "button", onclick: () => this.#goTo(at - 1) }, "Back");
    put(this.#buttons, this.#next, at > 0 && back, cancelButton(this.#kit));
  }

  #summary(): HTMLElement {
    const told = this.#steps.flatMap((fields) => fields.told());
    return element(
      "dl",
      {},
      ...told.map(({ label, text }) =>
        element("div", {}, element("dt", {}, label), element("dd", {}, text || "–")),
      ),
    );
  }

  /** Moves to another step and announces its heading; does nothing while submitting. */
  #goTo(at: number): void {
    if (this.#next.ariaDisabled) return;
    this.#kit.complain();
    this.#said.say();
    this.#show(at);
    this.#heading.focus();
  }

  async #goOn(): Promise<void> {
    const fields = this.#steps[this.#at];
    if (fields) return fields.check() ? this.#goTo(this.#at + 1) : undefined;
    const answer = await submit(this.#kit, this.#steps, this.#next, this.#said);
    if (answer) this.#blame(answer.problems);
  }

  /** Moves to the first step with a problem. */
  #blame(problems: Answer["problems"]): void {
    const wrong = this.#steps.map((fields) => !fields.show(problems)).indexOf(true);
    const fields = this.#steps[wrong];
    if (!fields) return;
    this.#show(wrong);
    // Shown again, now that the fields are visible and can take the focus.
    fields.show(problems);
  }
}
