/**
 * What is in a file.
 *
 * @module
 */

/**
 * Reads a file as base64, or as text. The browser does the work, not the page, so that the page can be used meanwhile.
 *
 * @throws an error with a sentence for the person
 */
export async function read(file: File, encoding?: "base64" | "text"): Promise<string> {
  try {
    return encoding === "text"
      ? new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
      : await base64Of(file);
  } catch (error) {
    // The decoder's errors are these; those of files are others.
    const isWrong = error instanceof TypeError;
    throw new Error(isWrong ? "It is not text in UTF-8." : "It could not be read. Choose it again.");
  }
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).split(",")[1] as string);
    reader.onerror = reject;
    reader.readAsDataURL(file);
  });
}
