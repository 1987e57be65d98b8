/**
 * Everything that the command palette finds.
 *
 * @module
 */
import type { ConversationSummary } from "@vitrine/wire";
import type { ShownServer } from "../../model/servers.js";
import { type CallableTool, callableTools } from "../conversation/command.js";

/** An entry of the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  /** Text after the title: the server of a tool, the keys of a command. */
  readonly detail?: string | undefined;
  readonly keys?: string | undefined;
  /** More words that find it. */
  readonly words?: string | undefined;
  readonly act: () => void;
}

/** Entries with a heading. */
export interface PaletteSection {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

/** Maximum number of shown entries of a section. */
const MOST = 50;

/** The tools of all servers, those with an app first. */
export function toolEntries(
  servers: readonly ShownServer[],
  act: (tool: CallableTool) => void,
): PaletteEntry[] {
  const tools = callableTools(servers);
  return [...tools.filter(({ facts }) => facts.hasUi), ...tools.filter(({ facts }) => !facts.hasUi)].map(
    (tool) => ({
      id: `tool ${tool.server} ${tool.facts.tool.name}`,
      title: tool.facts.title,
      detail: tool.facts.hasUi ? `${tool.server} · app` : tool.server,
      words: `${tool.facts.tool.name} ${tool.facts.tool.description ?? ""}`,
      act: () => act(tool),
    }),
  );
}

/** The other conversations. */
export const conversationEntries = (
  list: readonly ConversationSummary[],
  current: string | undefined,
  act: (id: string) => void,
): PaletteEntry[] =>
  list
    .filter(({ id }) => id !== current)
    .map(({ id, title }) => ({
      id: `conversation ${id}`,
      title: title || "Untitled conversation",
      act: () => act(id),
    }));

/** The entries with all words of a search; those whose title begins with it come first. */
export function foundEntries(sections: readonly PaletteSection[], search: string): PaletteSection[] {
  const typed = search.trim().toLowerCase();
  const words = typed.split(/\s+/);
  const has = ({ title, detail = "", words: more = "" }: PaletteEntry): boolean => {
    const text = `${title}\n${detail}\n${more}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const begins = ({ title }: PaletteEntry): boolean => title.toLowerCase().startsWith(typed);
  return sections.flatMap(({ title, entries }) => {
    const found = typed === "" ? entries : entries.filter(has);
    const ordered = [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
    return ordered.length > 0 ? [{ title, entries: ordered.slice(0, MOST) }] : [];
  });
}
