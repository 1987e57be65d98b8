import { recordOf } from "@vitrine/protocol";

/**
 * Reads a question and its options from the configuration, or from data.
 *
 * @module
 */

/** A value that can be an argument as it is. */
type Value = string | number | boolean;

/** An option. */
export interface ChoiceOption {
  readonly value: Value;
  /** The displayed name; the value by default. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
}

/** The part of a question that a configuration can define. */
export interface Asking {
  readonly question?: string | undefined;
  readonly options?: readonly (ChoiceOption | Value)[] | undefined;
  readonly multiple?: boolean | undefined;
}

/** A question with its options. */
export interface Asked {
  readonly question: string;
  readonly options: readonly (ChoiceOption & { readonly label: string })[];
  readonly isMultiple: boolean;
}

/** Reads data that is a list of options, or a record with `options` or `items`, and `question`. */
export function askedOf(data: unknown, config: Asking): Asked {
  const record = Array.isArray(data) ? { options: data } : recordOf(data);
  const said = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const { question, options, items, multiple } = { ...record, ...said } as Record<string, unknown>;
  const list = Array.isArray(options) ? options : Array.isArray(items) ? items : [];
  return {
    question: typeof question === "string" ? question : "",
    options: list.flatMap(optionOf),
    isMultiple: multiple === true,
  };
}

/** Returns an empty list if the entry has no value for a tool. */
function optionOf(given: unknown): Asked["options"][number][] {
  const { value, id, label, title, name, description } = Object(given);
  const known = isValue(given) ? given : [value, id, label, title, name].find(isValue);
  if (known === undefined) return [];
  const words = [label, title, name].find(isValue) ?? known;
  return [
    { value: known, label: `${words}`, ...(isValue(description) && { description: `${description}` }) },
  ];
}

const isValue = (value: unknown): value is Value => /^(string|number|boolean)$/.test(typeof value);
