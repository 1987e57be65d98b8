/**
 * The facts of a conversation that expectations are about.
 *
 * @module
 */
import type { CallItem, ConversationItem, ModelItem, ModelUsage } from "@vitrine/wire";
import type { EvalTool } from "./tool-names.js";

/** A tool call of the model. */
export interface MadeCall extends EvalTool {
  readonly input: Record<string, unknown>;
  readonly state: CallItem["state"];
  /** Why it failed. */
  readonly problem?: string | undefined;
}

/** Tokens and cost. A value that is not known for every answer is undefined, and never too small. */
export interface KnownUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** US dollars. */
  readonly cost?: number | undefined;
}

/** An app that is shown. Its methods reject if the browser fails. */
export interface ShownApp extends EvalTool {
  /** Why it does not work; undefined if it does. */
  problem(): Promise<string | undefined>;
  /** The visible text; undefined if the app does not respond. */
  text(): Promise<string | undefined>;
  /** Whether a visible element has this role and name. */
  has(role: string, name: string | undefined): Promise<boolean>;
}

/** Everything that a turn, or a whole case, has brought. */
export interface Evidence {
  readonly calls: readonly MadeCall[];
  /** All texts of the model. */
  readonly answer: string;
  readonly apps: readonly ShownApp[];
  readonly usage: KnownUsage;
  /** Milliseconds. */
  readonly time: number;
}

/** The calls of the model, of servers' tools and of apps' tools, whatever became of them. */
export const callsOf = (items: readonly ConversationItem[]): MadeCall[] =>
  items.flatMap((item) =>
    item.kind === "call" && item.by === "model"
      ? [
          {
            server: item.server,
            tool: item.tool,
            input: item.input ?? {},
            state: item.state,
            ...(item.problem !== undefined && { problem: item.problem }),
          },
        ]
      : [],
  );

/** The answers of the model. */
export const answersOf = (items: readonly ConversationItem[]): ModelItem[] =>
  items.filter((item) => item.kind === "model");

/** The text of all answers. */
export const answerText = (items: readonly ConversationItem[]): string =>
  answersOf(items)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== "")
    .join("\n");

/** The usage of all answers. */
export function usageOf(items: readonly ConversationItem[]): KnownUsage {
  return sum(answersOf(items).map(({ usage }) => usage && known(usage)));
}

const known = ({ input, output, cost }: ModelUsage): KnownUsage => ({
  input,
  output,
  ...(cost && !cost.isPartial && { cost: cost.usd }),
});

/** Adds usages: a sum with an unknown part is unknown. */
export function sum(usages: readonly (KnownUsage | undefined)[]): KnownUsage {
  const total = (key: keyof KnownUsage): number | undefined =>
    usages.reduce<number | undefined>((so, usage) => {
      const value = usage?.[key];
      return so === undefined || value === undefined ? undefined : so + value;
    }, 0);
  if (usages.length === 0) return {};
  return { input: total("input"), output: total("output"), cost: total("cost") };
}
