/**
 * Saves files from the page.
 *
 * @module
 */

/** Saves content as a download. */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>, type: string): void {
  const href = URL.createObjectURL(new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** A name that every file system accepts. */
export const fileName = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 100);
