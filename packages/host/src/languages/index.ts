/**
 * `@vitrine/host/languages`: the languages of frames and questions beside English. Each is one object; a page loads
 * only those that it names.
 *
 * @module
 */
import type { Language } from "../words.js";
import { simplifiedChinese } from "./chinese.js";
import { french } from "./french.js";
import { german } from "./german.js";
import { japanese } from "./japanese.js";
import { spanish } from "./spanish.js";

export type { FrameWords, Language, PromptWords } from "../words.js";
export { french, german, japanese, simplifiedChinese, spanish };

/**
 * Picks the first of the user's languages that we have; undefined for English, and if there is none. A region does not
 * matter, except that Traditional Chinese is not Simplified Chinese.
 *
 * @param tags the user's languages, best first, such as `navigator.languages`
 *
 * @example
 * ```ts source="../frame.examples.ts#setLanguage"
 * setLanguage(bestLanguage(navigator.languages));
 * ```
 */
export function bestLanguage(
  tags: readonly string[],
  among: readonly Language[] = [german, french, spanish, japanese, simplifiedChinese],
): Language | undefined {
  const scriptOf = (tag: string): string => {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  };
  for (const tag of tags) {
    let wanted: string;
    try {
      wanted = scriptOf(tag);
    } catch {
      continue; // Not a language tag.
    }
    if (wanted === "en-Latn") return undefined;
    const found = among.find((each) => scriptOf(each.tag) === wanted);
    if (found) return found;
  }
  return undefined;
}
