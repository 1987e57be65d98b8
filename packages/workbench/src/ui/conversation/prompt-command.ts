/**
 * Prompts of servers as commands: `/prompt`, or `/server prompt`.
 *
 * @module
 */
import type { ContentBlock, Prompt } from "@vitrine/protocol";
import type { ServerSummary } from "@vitrine/wire";
import type { ShownServer } from "../../model/servers.js";
import { isCommand } from "./command.js";

/** A prompt that a server offers. */
export interface OfferedPrompt {
  readonly summary: ServerSummary;
  readonly prompt: Prompt;
}

/** All prompts of the servers. */
export const offeredPrompts = (servers: readonly ShownServer[]): OfferedPrompt[] =>
  servers.flatMap(({ summary, catalogue }) =>
    (catalogue?.prompts ?? []).map((prompt) => ({ summary, prompt })),
  );

const namesOf = ({ summary, prompt }: OfferedPrompt): string[] =>
  [prompt.name, `${summary.name} ${prompt.name}`].map((name) => name.toLowerCase());

const typedIn = (text: string): string => text.slice(1).trim().toLowerCase();

/** The prompts that may complete a text. */
export function promptCompletions(text: string, prompts: readonly OfferedPrompt[]): OfferedPrompt[] {
  if (!isCommand(text) || /[{\n]/.test(text)) return [];
  const words = typedIn(text).split(/\s+/);
  return prompts.filter((offered) => {
    const name = `${offered.summary.name} ${offered.prompt.name} ${offered.prompt.title ?? ""}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
}

/** The prompt that a text names exactly; undefined if there are several. */
export function namedPrompt(text: string, prompts: readonly OfferedPrompt[]): OfferedPrompt | undefined {
  if (!isCommand(text)) return undefined;
  const typed = typedIn(text);
  const [found, ...others] = prompts.filter((offered) => namesOf(offered).includes(typed));
  return others.length === 0 ? found : undefined;
}

/** A filled-in prompt: its text for the field, and everything else as attachments. */
export function promptContent(
  messages: readonly { readonly role: "user" | "assistant"; readonly content: ContentBlock }[],
): { text: string; blocks: ContentBlock[] } {
  const hasAnswers = messages.some(({ role }) => role === "assistant");
  const texts: string[] = [];
  const blocks: ContentBlock[] = [];
  for (const { role, content } of messages) {
    if (content.type !== "text") blocks.push(content);
    // A user cannot speak for the model: its part is named.
    else texts.push(hasAnswers ? `${role === "user" ? "User" : "Assistant"}: ${content.text}` : content.text);
  }
  return { text: texts.join("\n\n"), blocks };
}
