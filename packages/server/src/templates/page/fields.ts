/**
 * Fields in a page: creates, fills, checks and reads them. The browser validates them, so its messages are in
 * the user's language.
 *
 * @module
 */
import type { Field, FieldOption, FieldType, FieldValue } from "../form/field.js";
import { element, newId, put, set } from "./dom.js";

type Json = Record<string, unknown>;
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A field. Two types come only from a tool's schema: a list of strings, and arbitrary JSON. */
export type PageField = Omit<Field, "type"> & {
  readonly type?: FieldType | "lines" | "json" | undefined;
  /** For numbers: only integers. */
  readonly isWhole?: boolean;
};

/** Value and label of an option. */
export const optionOf = (option: FieldOption): { value: FieldValue; label: string } =>
  typeof option === "object"
    ? { value: option.value, label: option.label ?? `${option.value}` }
    : { value: option, label: `${option}` };

/** The fields of a form, or of one step. */
export class Fields {
  readonly #fields: readonly OneField[];
  readonly nodes: readonly HTMLElement[];

  constructor(fields: readonly PageField[]) {
    this.#fields = fields.map((field) => new OneField(field));
    this.nodes = this.#fields.map(({ node }) => node);
  }

  /** Fills in values, except where the user has typed. */
  fill(values: unknown): void {
    for (const field of this.#fields) field.fill(Object(values)[field.name]);
  }

  /** Shows the problem of each field, and focuses the first. Returns whether all fields are valid. */
  check(): boolean {
    return this.#goToFirst(this.#fields.filter((field) => field.say(field.problem())));
  }

  /**
   * Shows a tool's problems with its arguments; `address.city` belongs to `address`. Returns whether none is
   * about these fields.
   */
  show(problems: Readonly<Record<string, unknown>>): boolean {
    const of = (name: string): string =>
      `${Object.entries(problems).find(([path]) => path === name || path.startsWith(`${name}.`))?.[1] ?? ""}`;
    return this.#goToFirst(this.#fields.filter((field) => field.say(of(field.name))));
  }

  #goToFirst([first]: readonly OneField[]): boolean {
    first?.control.focus();
    return !first;
  }

  /** The entered values; empty fields are omitted. */
  values(): Json {
    return Object.fromEntries(
      this.#fields.map((field) => [field.name, field.value()]).filter(([, value]) => value !== undefined),
    );
  }

  /** The values as text, with names and labels; passwords are omitted. */
  told(): { name: string; label: string; text: string; isSecret: boolean }[] {
    return this.#fields.map((field) => field.told());
  }
}

class OneField {
  readonly name: string;
  readonly node: HTMLElement;
  readonly control: Control;
  readonly #field: PageField;
  readonly #problem = element("p", { class: "wrong", id: newId(), hidden: true });
  #isTyped = false;

  constructor(field: PageField) {
    const { name, label = name, type = "text", required, placeholder, description, minimum, maximum } = field;
    this.#field = field;
    this.name = name;
    const help = description && element("p", { class: "note", id: newId() }, description);
    const properties = {
      id: newId(),
      name,
      required,
      placeholder,
      "aria-describedby": `${help ? `${help.id} ` : ""}${this.#problem.id}`,
      oninput: () => {
        this.#isTyped = true;
        this.say("");
      },
    };
    const isLong = type === "textarea" || type === "lines" || type === "json";
    this.control =
      type === "select"
        ? element(
            "select",
            properties,
            element("option", { value: "" }, placeholder ?? "Choose …"),
            ...this.#options(),
          )
        : isLong
          ? element("textarea", { ...properties, rows: 4 })
          : element("input", {
              ...properties,
              type,
              min: minimum,
              max: maximum,
              step: type === "number" && !field.isWhole && "any",
              autocomplete: type === "password" && "off",
            });
    const mark = required && element("span", { class: "mark", "aria-hidden": "true" }, " *");
    const words = element("label", { for: this.control.id }, label, mark);
    const isBox = type === "checkbox";
    const first = isBox ? element("div", { class: "check" }, this.control, words) : words;
    this.node = element("div", { class: "field" }, first, !isBox && this.control, help, this.#problem);
    this.fill(field.default);
  }

  #options(): HTMLOptionElement[] {
    return (this.#field.options ?? []).map((each) => {
      const { value, label } = optionOf(each);
      return element("option", { value: `${value}` }, label);
    });
  }

  fill(value: unknown): void {
    if (this.#isTyped || value === undefined || value === null) return;
    const { control } = this;
    const { type } = this.#field;
    if (type === "checkbox") {
      // Strings too: configurations often have string defaults.
      if (/^(true|false)$/.test(`${value}`)) (control as HTMLInputElement).checked = `${value}` === "true";
    } else if (type === "lines" && Array.isArray(value)) control.value = value.join("\n");
    else if (type === "json") control.value = JSON.stringify(value, null, 2);
    else if (type === "date") control.value = `${value}`.slice(0, 10);
    else if (type === "select") {
      if (this.#option(`${value}`)) control.value = `${value}`;
    } else if (typeof value !== "object") control.value = `${value}`;
  }

  #option(text: string): { value: FieldValue; label: string } | undefined {
    return (this.#field.options ?? []).map(optionOf).find(({ value }) => `${value}` === text);
  }

  problem(): string {
    try {
      this.value();
      return this.control.validationMessage;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Shows a problem or clears it. Returns whether there is one. */
  say(text: string): boolean {
    put(this.#problem, text);
    set(this.#problem, "hidden", text === "");
    set(this.control, "aria-invalid", text !== "" && "true");
    return text !== "";
  }

  value(): unknown {
    const { control } = this;
    const { type = "text", default: given } = this.#field;
    const text = control.value;
    if (type === "checkbox") return (control as HTMLInputElement).checked;
    // A prefilled text that was cleared is empty; a text that never was there is absent.
    if (text === "") return given && /^text/.test(type) ? "" : undefined;
    if (type === "number") return Number(text);
    if (type === "select") return this.#option(text)?.value;
    if (type === "lines") return text.split("\n").filter((line) => line.trim());
    return type === "json" ? JSON.parse(text) : text;
  }

  told(): { name: string; label: string; text: string; isSecret: boolean } {
    const { name, label = name, type } = this.#field;
    const { value } = this.control;
    const text = type === "checkbox" ? (this.value() ? "Yes" : "No") : (this.#option(value)?.label ?? value);
    const isSecret = type === "password";
    return { name, label, text: isSecret && text ? "••••••" : text, isSecret };
  }
}
