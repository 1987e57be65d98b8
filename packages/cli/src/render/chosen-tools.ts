/**
 * Selects the tools to render, and their arguments.
 *
 * @module
 */

import { isVisibleTo, type Tool } from "@vitrine/protocol";
import { closest } from "@vitrine/servers/support";
import type { ServerCatalogue } from "@vitrine/wire";
import { CliError } from "../exit.js";
import type { RenderPlan } from "./render-plan.js";
import type { RenderReport } from "./render-result.js";
import { defaultArguments, problemWith, smallestArguments } from "./tool-arguments.js";

/** Selected and skipped tools. */
export interface ChosenTools {
  readonly wanted: readonly { readonly tool: string; readonly arguments: Record<string, unknown> }[];
  readonly skipped: RenderReport["skipped"];
}

/**
 * The named tools, with the given arguments, if any.
 *
 * @throws {CliError} `tool-unknown`, `tool-not-visible`, `no-ui`, `arguments-invalid`
 */
export function namedTools(
  catalogue: ServerCatalogue,
  { tools }: Pick<RenderPlan, "tools">,
  given: Record<string, unknown> | undefined,
): ChosenTools {
  const wanted = tools.map((name) => {
    const tool = findTool(catalogue, name);
    const input = given ?? defaultArguments(tool);
    const problem = problemWith(tool, input);
    if (problem !== undefined) throw new CliError("arguments-invalid", `${name}: ${problem}`);
    return { tool: name, arguments: input };
  });
  return { wanted, skipped: [] };
}

function findTool({ tools, views }: ServerCatalogue, name: string): Tool {
  const shown = views.map((view) => view.tool);
  const tool = tools.find((each) => each.name === name);
  if (!tool) {
    const known = shown.length > 0 ? `those with a UI are ${shown.join(", ")}` : "none has a UI";
    throw new CliError("tool-unknown", `there is no tool "${name}"; ${known}${closest(name, shown)}`);
  }
  if (!isVisibleTo(tool, "model"))
    throw new CliError("tool-not-visible", `"${name}" is only for the server's own apps`);
  if (!shown.includes(name)) throw new CliError("no-ui", `the tool "${name}" has no UI`);
  return tool;
}

/** By MCP's defaults, a tool without annotations may be destructive. */
const isHarmless = ({ annotations }: Tool): boolean =>
  annotations?.readOnlyHint === true || annotations?.destructiveHint === false;

/**
 * All tools with a UI that can be called with generated arguments and are harmless: by their own annotations
 * or, if calls are allowed, unless they declare to be destructive.
 */
export function allTools(
  { tools, views }: ServerCatalogue,
  { allow }: Pick<RenderPlan, "allow">,
): ChosenTools {
  const isAllowed = allow.includes("calls") || allow.includes("all");
  const wanted: ChosenTools["wanted"][number][] = [];
  const skipped: { tool: string; reason: string }[] = [];
  for (const tool of tools.filter(({ name }) => views.some((view) => view.tool === name))) {
    const input = smallestArguments(tool);
    const problem = problemWith(tool, input);
    const reason = !isVisibleTo(tool, "model")
      ? "it is only for the server's own apps"
      : tool.annotations?.destructiveHint === true
        ? "it declares to be destructive; select it with --tool"
        : !isAllowed && !isHarmless(tool)
          ? "it does not declare to be read-only or non-destructive; allow it with --allow-calls, or select it with --tool"
          : problem && `no arguments could be generated: ${problem}; select it with --tool and --args`;
    if (reason) skipped.push({ tool: tool.name, reason });
    else wanted.push({ tool: tool.name, arguments: input });
  }
  return { wanted, skipped };
}
