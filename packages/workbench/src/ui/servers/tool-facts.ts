/**
 * What a tool shows, and who may call it.
 *
 * @module
 */
import { isVisibleTo, type ServerCatalogue, type Tool } from "@vitrine/protocol";
import { toolTitle } from "../../model/foreign.js";

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
      hasUi: view !== undefined,
      uiProblem: view?.problem,
      isCallable: isVisibleTo(tool, "model"),
      isForApps: isVisibleTo(tool, "app"),
    };
  });

/** Whether every word that is searched for is in the tool's name, title or description, or the server's name. */
export function matches({ tool, title }: ToolFacts, server: string, search: string): boolean {
  const text = [server, tool.name, title, tool.description ?? ""].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
