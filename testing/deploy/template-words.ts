/**
 * Splits the text of a Go template into text and actions, and an action into words.
 *
 * @module
 */

/** A part of a template: text, or the inside of `{{ … }}`. */
export type TemplatePart = { text: string } | { action: string };

/** Splits a template. `{{-` and `-}}` remove the white space before and after. */
export function partsOf(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  let isTrimmed = false;
  for (const found of template.matchAll(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g)) {
    const [whole, before, action = "", after] = found;
    const text = template.slice(at, found.index);
    const start = isTrimmed ? text.trimStart() : text;
    parts.push({ text: before ? start.trimEnd() : start });
    if (!action.startsWith("/*")) parts.push({ action });
    at = found.index + whole.length;
    isTrimmed = after === "-";
  }
  const rest = template.slice(at);
  parts.push({ text: isTrimmed ? rest.trimStart() : rest });
  return parts;
}

const WORD = /\s*("(?:[^"\\]|\\.)*"|\(|\)\.?[\w.]*|\||:=|\$?\.?[\w.]+|\.|\$)/y;

/** The words of an action: names, paths, texts, numbers and signs. */
export function wordsOf(action: string): string[] {
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let at = 0; at < action.length; at = WORD.lastIndex) {
    const [, word] = WORD.exec(action) ?? [];
    if (word === undefined) throw new Error(`cannot read the action {{ ${action} }} at character ${at}`);
    words.push(word);
  }
  return words;
}
