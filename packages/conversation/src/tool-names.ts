/**
 * The tools that are offered to a model, with names that every provider accepts.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { sizeOf } from "@vitrine/guard";
import { isVisibleTo, type Tool } from "@vitrine/protocol";
import type { CallItem, SpeakingApp } from "@vitrine/wire";
import type { ModelTool } from "./model/model.js";
import type { OfferedTool } from "./ports.js";

/** A tool of an open app. */
export interface AppTool {
  readonly view: string;
  readonly app: SpeakingApp;
  /** The number of the app in its conversation, by which the model knows it. */
  readonly number: number;
  readonly tool: Tool;
}

/** The tool behind a name. */
export type NamedTool =
  | ({ readonly kind: "server" } & OfferedTool)
  | ({ readonly kind: "app"; readonly server: string; readonly hasApp: false } & AppTool);

/** The tools of a request, with a lookup by name. */
export interface NamedTools {
  readonly tools: readonly ModelTool[];
  find(name: string): NamedTool | undefined;
  /** The name of a call's tool, even if it is no longer offered. */
  nameOf(call: Pick<CallItem, "server" | "tool" | "app">): string;
}

/** Maximum characters of a name and of a description. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 20_000;

/**
 * Names tools `server__tool`, and those of apps `app_1__tool`. Names are independent of the order of the
 * tools. Only tools for the model are offered.
 *
 * @param numberOf the number of the app of an entry
 */
export function nameTools(
  offered: readonly OfferedTool[],
  ofApps: readonly AppTool[],
  numberOf: (item: string) => number,
): NamedTools {
  const all: NamedTool[] = [
    ...offered
      .filter(({ tool }) => isVisibleTo(tool, "model") && !isTooLarge(tool))
      .map((each) => ({ kind: "server" as const, ...each })),
    ...ofApps.map((each) => ({
      kind: "app" as const,
      server: each.app.server,
      hasApp: false as const,
      ...each,
    })),
  ];
  const uses = new Map<string, number>();
  for (const each of all) uses.set(plainName(each), (uses.get(plainName(each)) ?? 0) + 1);
  const named = new Map<string, NamedTool>();
  const names = new Map<string, string>();
  for (const each of all) {
    const plain = plainName(each);
    // If several tools have the same name, all get a suffix, so that names do not depend on the order.
    const name = uses.get(plain) === 1 ? plain : marked(plain, keyOf(each));
    if (named.has(name)) continue;
    named.set(name, each);
    names.set(keyOf(each), name);
  }
  return {
    tools: [...named].map(([name, each]) => asModelTool(name, each)),
    find: (name) => named.get(name),
    nameOf({ server, tool, app }) {
      const [first, key] = app
        ? [`app_${numberOf(app.item)}`, `app\n${app.item}\n${tool}`]
        : [server, `server\n${server}\n${tool}`];
      return names.get(key) ?? fitting(first, tool, key);
    },
  };
}

/** Maximum characters of a tool's schema: it is sent to the model with every request. */
const MAX_TOOL = 100_000;

/** Whether a tool is too large to be offered to a model. */
export const isTooLarge = (tool: Tool): boolean => sizeOf(tool.inputSchema, MAX_TOOL) > MAX_TOOL;

const keyOf = (each: NamedTool): string =>
  each.kind === "app"
    ? `app\n${each.app.item}\n${each.tool.name}`
    : `server\n${each.server}\n${each.tool.name}`;

const plainName = (each: NamedTool): string =>
  fitting(each.kind === "app" ? `app_${each.number}` : each.server, each.tool.name, keyOf(each));

/** An unknown tool keeps the name that the model gave it. */
function fitting(first: string, tool: string, key: string): string {
  const whole = first === "" ? tool : `${first}__${tool}`;
  const name = whole.replace(/[^\w-]/g, "_");
  return name.length > MAX_NAME || name === "" ? marked(name, key) : name;
}

function marked(name: string, key: string): string {
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_NAME - 1 - mark.length)}_${mark}`;
}

function asModelTool(name: string, each: NamedTool): ModelTool {
  const { description = each.tool.title ?? "", inputSchema } = each.tool;
  const from =
    each.kind === "app"
      ? `Offered by the app ${quoted(each.app.title)} of the server ${quoted(each.server)}, while it is open.`
      : `Tool of the server ${quoted(each.server)}.`;
  const what =
    description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION)}…` : description;
  return { name, description: what ? `${from} ${what}` : from, inputSchema };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));
