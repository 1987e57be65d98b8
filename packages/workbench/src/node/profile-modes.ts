/**
 * The profiles, for programs that check a name before they open the page.
 *
 * @module
 */

/** The display modes of each profile, by its id. A test compares them with the profiles themselves. */
export const PROFILE_MODES: Readonly<Record<string, readonly string[]>> = {
  strict: ["inline", "fullscreen", "pip"],
  spec: ["inline", "fullscreen", "pip"],
  common: ["inline"],
  chatgpt: ["inline", "fullscreen", "pip"],
  claude: ["inline", "fullscreen"],
  vscode: ["inline"],
  goose: ["inline", "fullscreen"],
  mcpjam: ["inline", "fullscreen", "pip"],
  "m365-copilot": ["inline", "fullscreen"],
  alexa: ["inline", "fullscreen"],
  continue: ["inline", "fullscreen", "pip"],
};
