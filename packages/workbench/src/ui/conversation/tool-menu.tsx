/**
 * The menu of tools while the user types a command.
 *
 * @module
 */
import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { ToolBadges } from "../servers/tool-badges.js";
import type { CallableTool } from "./command.js";
import type { OfferedPrompt } from "./prompt-command.js";

/** Maximum number of listed tools. */
const MOST = 50;

/** Props of a {@link ToolMenu}. */
export interface ToolMenuProps {
  /** Prefix of option ids, for the field's active descendant. */
  id: string;
  tools: readonly CallableTool[];
  /** Prompts of servers, after the tools. */
  prompts: readonly OfferedPrompt[];
  /** Position of the option that Enter selects; -1 for none. */
  active: number;
  onChoose: (tool: CallableTool) => void;
  onPrompt: (prompt: OfferedPrompt) => void;
  /** The field's key handler, which also works here. */
  onKeyDown: (event: KeyboardEvent) => void;
  onBlur: (event: FocusEvent) => void;
}

/** The id of an option. */
export const optionId = (id: string, place: number): string => `${id}-${place}`;

/** Number of tools in the menu. */
export const shownTools = (tools: readonly unknown[]): number => Math.min(tools.length, MOST);

/** A list above the field, which keeps the focus. */
export function ToolMenu(props: ToolMenuProps) {
  const { id, tools, prompts, active, onChoose, onPrompt, onKeyDown, onBlur } = props;
  const first = shownTools(tools);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      className="tool-menu"
      role="listbox"
      id={id}
      aria-label={prompts.length > 0 ? "Tools and prompts" : "Tools"}
      ref={list}
      // A scrollable region must be reachable by keyboard.
      tabIndex={0}
      {...(active >= 0 && { "aria-activedescendant": optionId(id, active) })}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      {tools.slice(0, MOST).map((tool, place) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active one.
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above; Enter is the field's.
        <div
          key={`${tool.server} ${tool.facts.tool.name}`}
          id={optionId(id, place)}
          className="menu-item"
          role="option"
          aria-selected={place === active}
          data-focused={place === active || undefined}
          // Keeps the focus in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(tool)}
        >
          <span className="tool-line">
            <span className="mono">
              {tool.server} {tool.facts.tool.name}
            </span>
            <ToolBadges facts={tool.facts} />
          </span>
          {tool.facts.title !== tool.facts.tool.name && (
            <span className="soft small">{tool.facts.title}</span>
          )}
        </div>
      ))}
      {prompts.slice(0, MOST).map((offered, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: as above.
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above.
        <div
          key={`${offered.summary.name} ${offered.prompt.name}`}
          id={optionId(id, first + at)}
          className="menu-item"
          role="option"
          aria-selected={first + at === active}
          data-focused={first + at === active || undefined}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPrompt(offered)}
        >
          <span className="tool-line">
            <span className="mono">
              {offered.summary.name} {offered.prompt.name}
            </span>
            <span className="badge">prompt</span>
          </span>
          {offered.prompt.title !== undefined && <span className="soft small">{offered.prompt.title}</span>}
        </div>
      ))}
    </div>
  );
}
