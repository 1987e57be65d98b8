/**
 * Reads the contents of a file.
 *
 * @module
 */

/**
 * Reads a file as base64 or text. The browser does it asynchronously, so the page stays usable.
 *
 * @throws an error with a message for the user
 */
export async function read(file: File, encoding?: "base64" | "text"): Promise<string> {
  try {
    return encoding === "text"
      ? new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
      : await base64Of(file);
  } catch (error) {
    // The decoder throws a TypeError; file access throws other errors.
    const isWrong = error instanceof TypeError;
    throw new Error(isWrong ? "Not UTF-8 text." : "Cannot be read. Choose it again.");
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
