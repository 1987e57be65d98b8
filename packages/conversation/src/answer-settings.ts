/**
 * The user's choices for the answers of a conversation: model, instructions and temperature.
 *
 * @module
 */
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";
import { type AnswerSettings, MODEL_INPUT_LIMITS } from "@vitrine/wire";
import type { AnswerDefaults } from "./ports.js";
import { SYSTEM_PROMPT } from "./system-prompt.js";

/**
 * Checks the choices of a page. Empty ones are left out, so that the defaults apply.
 *
 * @throws {VitrineError} `INVALID_PARAMS`
 */
export function checkedSettings({ model, system, temperature }: AnswerSettings): AnswerSettings {
  const { system: longest, temperature: hottest, model: longestName } = MODEL_INPUT_LIMITS;
  if (system !== undefined && system.length > longest)
    throw wrong(
      `the instructions have ${system.length} characters, and ${longest} are allowed: shorten them`,
    );
  if (temperature !== undefined && !(temperature >= 0 && temperature <= hottest))
    throw wrong(`the temperature must be between 0 and ${hottest}`);
  if (model !== undefined && model.length > longestName) throw wrong("the name of the model is too long");
  return {
    ...(model && { model }),
    ...(system?.trim() && { system: system.trim() }),
    ...(temperature !== undefined && { temperature }),
  };
}

const wrong = (message: string): VitrineError => new VitrineError(INVALID_PARAMS, message);

/** The system prompt and the temperature of a request. Vitrine's own instructions always come first. */
export function requestSettings(
  { system, temperature }: AnswerSettings,
  defaults: AnswerDefaults = {},
): { system: string; temperature?: number } {
  const own = system ?? defaults.system;
  const hot = temperature ?? defaults.temperature;
  return {
    system: own
      ? `${SYSTEM_PROMPT}\n\nThe user's instructions for this conversation:\n${own}`
      : SYSTEM_PROMPT,
    ...(hot !== undefined && { temperature: hot }),
  };
}
