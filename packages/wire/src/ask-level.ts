/**
 * The level of questions in lists of answers.
 *
 * @module
 */

/**
 * The method of an answer that says how often the apps of a server ask, in lists of answers and in the audit log. No
 * app can send it.
 */
export const ASK_LEVEL_METHOD = "gateway/ask-level";
