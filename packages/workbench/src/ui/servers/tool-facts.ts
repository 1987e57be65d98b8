/**
 * Facts about a tool: its UI and its callers.
 *
 * @module
 */
import { isVisibleTo, readToolUi, type Tool } from "@vitrine/protocol";
import type { ServerCatalogue } from "@vitrine/wire";
import { toolTitle } from "../../model/app/foreign.js";

/** Facts about a tool. */
export interface ToolFacts {
  readonly tool: Tool;
  readonly title: string;
  /** Whether it has an app. */
  readonly hasUi: boolean;
  /** Why its app cannot be shown. */
  readonly uiProblem: string | undefined;
  /** Whether the user may call it, like the model. */
  readonly isCallable: boolean;
  /** Whether its apps may call it. */
  readonly isForApps: boolean;
}

/** The tools of a server. */
export const toolFacts = ({ tools, views }: ServerCatalogue): ToolFacts[] =>
  tools.map((tool) => {
    const view = views.find(({ tool: name }) => name === tool.name);
    return {
      tool,
      title: toolTitle(tool),
      // A catalogue reads only the documents of its first tools; a link means that there is a UI.
      hasUi: view !== undefined || readToolUi(tool).resourceUri !== undefined,
      uiProblem: view?.problem,
      isCallable: isVisibleTo(tool, "model"),
      isForApps: isVisibleTo(tool, "app"),
    };
  });

/**
 * The tools of a server with every search word in their name, title or description, or in the server's name;
 * undefined if nothing matches. A server that matches by name is found even without tools, so that the user
 * can see why it does not run.
 */
export function foundIn(
  server: string,
  tools: readonly ToolFacts[],
  search: string,
): readonly ToolFacts[] | undefined {
  const words = search.toLowerCase().split(/\s+/);
  const has = (...texts: string[]): boolean => {
    const text = texts.join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = tools.filter(({ tool, title }) => has(server, tool.name, title, tool.description ?? ""));
  return found.length > 0 || has(server) ? found : undefined;
}
