/**
 * Checks that apply to every document, whatever its source.
 *
 * @module
 */
import { DefinitionError } from "./errors.js";

/** Default maximum bytes of a document. */
export const MAX_BYTES = 1_048_576;

/**
 * Returns the text if it is small enough and is not the page of a bundler's development server. Lone
 * surrogates are replaced.
 */
export function checkedText(text: string, name: string, limit: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > limit) throw tooLarge(name, bytes, limit);
  checkIsBuilt(text, name);
  return text.toWellFormed();
}

/** Scripts that a bundler's development server adds to its pages. */
const DEVELOPMENT = /(?:\bsrc\s*=|\bfrom\b|\bimport\b)[\s("']*([^"'\s>]*\/@(?:vite\/client|react-refresh)\b)/;

/** A development server's page is blank without that server. */
function checkIsBuilt(text: string, name: string): void {
  // Most pages have no such path; this keeps the server's startup fast.
  if (!text.includes("/@")) return;
  const client = DEVELOPMENT.exec(text)?.[1];
  if (client === undefined) return;
  throw new DefinitionError(
    "view-not-built",
    `${name} loads ${client}, the client of a development server: build the page, and use the folder with the build output`,
  );
}

/** The error for a document that is too large. */
export const tooLarge = (name: string, bytes: number, limit: number): DefinitionError =>
  new DefinitionError(
    "view-too-large",
    `${name} has ${bytes} bytes, but a view may have at most ${limit}: make it smaller, or raise \`maxViewBytes\``,
  );
