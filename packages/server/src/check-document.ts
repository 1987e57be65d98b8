/**
 * What a document may be, wherever it comes from.
 *
 * @module
 */
import { DefinitionError } from "./errors.js";

/** Bytes of a document, unless a server says otherwise. */
export const MAX_BYTES = 1_048_576;

/** A document, if it is no larger than allowed, and no page that a bundler only serves. Half a character is none. */
export function checkedText(text: string, name: string, limit: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > limit) throw tooLarge(name, bytes, limit);
  checkIsBuilt(text, name);
  return text.toWellFormed();
}

/** What a bundler puts into pages that it serves itself, while they are written. */
const DEVELOPMENT = /(?:\bsrc\s*=|\bfrom\b|\bimport\b)[\s("']*([^"'\s>]*\/@(?:vite\/client|react-refresh)\b)/;

/** A page of a bundler's own server is blank everywhere else. */
function checkIsBuilt(text: string, name: string): void {
  // Most have no such name at all, and every start of a server would pay for the search.
  if (!text.includes("/@")) return;
  const client = DEVELOPMENT.exec(text)?.[1];
  if (client === undefined) return;
  throw new DefinitionError(
    "view-not-built",
    `${name} loads ${client}, the client of a development server: build the page, and name the folder with what was built`,
  );
}

/** What to do with a document that is larger than allowed. */
export const tooLarge = (name: string, bytes: number, limit: number): DefinitionError =>
  new DefinitionError(
    "view-too-large",
    `${name} has ${bytes} bytes, and a view may have ${limit}: make it smaller, or raise \`maxViewBytes\``,
  );
