/**
 * Renders the chart without Helm, which a machine without a network cannot install. The chart uses a small part of the template
 * language, and this module knows no more: anything else is an error. In CI, Helm itself renders the chart.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "@vitrine/protocol";
import { parse, parseAllDocuments } from "yaml";
import { callFunction, isEmpty } from "./template-functions.ts";
import { partsOf, type TemplatePart, wordsOf } from "./template-words.ts";

/** Where names are looked up: `.` and the variables. */
interface Scope {
  readonly dot: unknown;
  readonly variables: Map<string, unknown>;
}

class Chart {
  readonly #blocks = new Map<string, TemplatePart[]>();

  /** Reads a file: remembers the blocks that it defines, and returns the rest. */
  read(template: string): TemplatePart[] {
    const rest: TemplatePart[] = [];
    let block: TemplatePart[] | undefined;
    let depth = 0;
    for (const part of partsOf(template)) {
      const action = "action" in part ? part.action : "";
      const [, name] = /^define "(.+)"$/.exec(action) ?? [];
      if (name !== undefined) {
        block = [];
        this.#blocks.set(name, block);
        depth = 0;
      } else if (block && action === "end" && depth === 0) block = undefined;
      else {
        depth += /^if\b/.test(action) ? 1 : action === "end" ? -1 : 0;
        (block ?? rest).push(part);
      }
    }
    return rest;
  }

  render(parts: readonly TemplatePart[], scope: Scope): string {
    let text = "";
    /** For each `if` around: whether its part is written. */
    const shown: boolean[] = [];
    for (const part of parts) {
      const isShown = shown.every(Boolean);
      if ("text" in part) text += isShown ? part.text : "";
      else if (part.action.startsWith("if "))
        shown.push(isShown && !isEmpty(this.#value(wordsOf(part.action.slice(3)), scope)));
      else if (part.action === "end") shown.pop();
      else if (isShown) text += this.#action(wordsOf(part.action), scope);
    }
    return text;
  }

  #action(words: string[], scope: Scope): string {
    const [first = "", second] = words;
    if (second === ":=") {
      scope.variables.set(first, this.#value(words.slice(2), scope));
      return "";
    }
    const value = this.#value(words, scope);
    return value === undefined ? "<no value>" : `${value}`;
  }

  /** The value of a pipeline. */
  #value(words: string[], scope: Scope): unknown {
    let before: unknown[] = [];
    let command: string[] = [];
    let depth = 0;
    for (const word of [...words, "|"]) {
      if (word === "(") depth++;
      else if (word.startsWith(")")) depth--;
      if (word === "|" && depth === 0) {
        before = [this.#command(command, before, scope)];
        command = [];
      } else command.push(word);
    }
    return before[0];
  }

  /** The value of a call: the result of the pipeline so far is its last argument. */
  #command(words: string[], before: unknown[], scope: Scope): unknown {
    const operands = this.#operands(words, scope);
    const [name = "", ...rest] = words;
    if (!/^[a-z]\w*$/i.test(name)) {
      if (operands.length !== 1) throw new Error(`cannot evaluate {{ ${words.join(" ")} }}`);
      return operands[0];
    }
    const args = [...this.#operands(rest, scope), ...before];
    if (name !== "include") return callFunction(name, args);
    const block = this.#blocks.get(`${args[0]}`);
    if (!block) throw new Error(`there is no block ${args[0]}`);
    return this.render(block, { dot: args[1], variables: new Map() });
  }

  #operands(words: string[], scope: Scope): unknown[] {
    const values: unknown[] = [];
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? "";
      if (word !== "(") {
        values.push(wordValue(word, scope));
        continue;
      }
      const start = at + 1;
      for (let depth = 1; depth > 0; ) {
        const next = words[++at];
        if (next === undefined) throw new Error(`a bracket is open in {{ ${words.join(" ")} }}`);
        depth += next === "(" ? 1 : next.startsWith(")") ? -1 : 0;
      }
      const inner = this.#value(words.slice(start, at), scope);
      values.push(memberOf(inner, (words[at] ?? ")").slice(1)));
    }
    return values;
  }
}

function wordValue(word: string, { dot, variables }: Scope): unknown {
  if (word.startsWith('"')) return JSON.parse(word);
  if (/^-?\d+$/.test(word)) return Number(word);
  if (word === ".") return dot;
  if (word.startsWith(".")) return memberOf(dot, word);
  if (!word.startsWith("$")) return undefined;
  const [name = "", ...path] = word.split(".");
  if (!variables.has(name)) throw new Error(`there is no variable ${name}`);
  return memberOf(variables.get(name), path.join("."));
}

const memberOf = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .filter(Boolean)
    .reduce((found, name) => recordOf(found)[name], value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Values of the second one win, as with `helm --values`. */
export function mergeValues(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over === undefined ? base : over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = mergeValues(merged[key], value);
  return merged;
}

/** Renders all templates of a chart: texts by file name. */
export function renderChart(folder: string, values: unknown): Map<string, string> {
  const chart = new Chart();
  const templates = join(folder, "templates");
  const files = readdirSync(templates).map(
    (name) => [name, chart.read(readFileSync(join(templates, name), "utf8"))] as const,
  );
  const about = recordOf(parse(readFileSync(join(folder, "Chart.yaml"), "utf8")));
  const dot = {
    Values: values,
    Chart: { Name: about["name"], Version: about["version"], AppVersion: about["appVersion"] },
    Release: { Name: "test", Namespace: "apps" },
  };
  return new Map(
    files
      .filter(([name]) => !name.startsWith("_"))
      .map(([name, parts]) => [name, chart.render(parts, { dot, variables: new Map() })]),
  );
}

/** The objects of a chart, by kind. */
export function objectsOf(files: ReadonlyMap<string, string>): Map<string, Record<string, unknown>> {
  const objects = new Map<string, Record<string, unknown>>();
  for (const [name, text] of files) {
    if (!name.endsWith(".yaml")) continue;
    for (const document of parseAllDocuments(text, { strict: true, uniqueKeys: true })) {
      const [error] = [...document.errors, ...document.warnings];
      if (error) throw new Error(`${name}: ${error.message}\n${text}`);
      const object = recordOf(document.toJS());
      if (Object.keys(object).length > 0) objects.set(`${object["kind"]}`, object);
    }
  }
  return objects;
}
