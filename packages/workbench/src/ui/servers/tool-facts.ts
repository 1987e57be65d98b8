/**
 * What a tool shows, and who may call it.
 *
 * @module
 */
import { isVisibleTo, readToolUi, type Tool } from "@vitrine/protocol";
import type { ServerCatalogue } from "@vitrine/wire";
import { toolTitle } from "../../model/app/foreign.js";

/** What the page says of a tool. */
export interface ToolFacts {
  readonly tool: Tool;
  readonly title: string;
  /** It has an app to show. */
  readonly hasUi: boolean;
  /** Why its app cannot be shown. */
  readonly uiProblem: string | undefined;
  /** A person may call it, as the model may (C02). */
  readonly isCallable: boolean;
  /** Its apps may call it. */
  readonly isForApps: boolean;
}

/** The tools of a server. */
export const toolFacts = ({ tools, views }: ServerCatalogue): ToolFacts[] =>
  tools.map((tool) => {
    const view = views.find(({ tool: name }) => name === tool.name);
    return {
      tool,
      title: toolTitle(tool),
      // A catalogue reads the documents of its first tools only; a link to a UI says that there is one.
      hasUi: view !== undefined || readToolUi(tool).resourceUri !== undefined,
      uiProblem: view?.problem,
      isCallable: isVisibleTo(tool, "model"),
      isForApps: isVisibleTo(tool, "app"),
    };
  });

/**
 * The tools of a server that have every word of a search in their name, title or description, or in the server's name;
 * undefined if the server has nothing to do with it. A server that is itself searched for is found without tools, too: who
 * looks for one that does not run wants to know why.
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
