/** The page of the form. */
import { element } from "../page/dom.js";
import { Fields, type PageField } from "../page/fields.js";
import { type Answer, type Kit, type Page, startPage } from "../page/kit.js";
import { Said } from "../page/said.js";
import { cancelButton, shownTool, submit } from "../page/submit.js";
import { fieldsOf } from "./fields-of-schema.js";
import { isFilling } from "./is-filling.js";
import type { FormConfig } from "./template.js";

startPage<FormConfig>("form", "Form", (kit) => new FormPage(kit));

class FormPage implements Page {
  readonly isReady = true;
  readonly #asked: readonly PageField[];
  readonly #fields: Fields;
  readonly #said = new Said();
  readonly #kit: Kit<FormConfig>;

  constructor(kit: Kit<FormConfig>) {
    const { description, fields } = kit.config;
    this.#kit = kit;
    this.#asked = fields ?? fieldsOf(shownTool(kit)?.inputSchema);
    this.#fields = new Fields(this.#asked);
    const { nodes } = this.#fields;
    const button = element("button", { class: "main" }, "Submit");
    // Listens for clicks, which Enter in a field triggers too: a sandbox without `allow-forms` fires no
    // `submit`.
    button.onclick = async (event) => {
      event.preventDefault();
      if (!this.#fields.check()) return;
      const answer = await submit(kit, [this.#fields], button, this.#said);
      if (answer) this.#fields.show(answer.problems);
    };
    kit.place.append(
      element(
        "form",
        { novalidate: true, "aria-label": kit.config.title ?? "Form" },
        description && element("p", { class: "about" }, description),
        ...nodes,
        nodes.length === 0 && element("p", { class: "note" }, "There is nothing to fill in."),
        element("div", { class: "row" }, button, cancelButton(kit)),
        this.#said.node,
      ),
    );
  }

  input(input: Record<string, unknown>): void {
    this.#fields.fill(input);
  }

  /** Data fills the form. Other data is the result of the view's own tool. */
  data(data: unknown, text: string): void {
    this.#fields.fill(data);
    if (!isFilling(data, this.#asked) && !this.#kit.config.submitTool) this.#said.say(text);
  }

  failed({ problems }: Answer): void {
    this.#fields.show(problems);
  }

  /** Keeps the user's input. */
  redraw(): void {}
}
