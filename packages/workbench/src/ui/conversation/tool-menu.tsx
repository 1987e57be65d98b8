/**
 * The menu of tools while the user types a command.
 *
 * @module
 */
import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { ToolBadges } from "../servers/tool-badges.js";
import type { CallableTool } from "./command.js";

/** Maximum number of listed tools. */
const MOST = 50;

/** Props of a {@link ToolMenu}. */
export interface ToolMenuProps {
  /** Prefix of option ids, for the field's active descendant. */
  id: string;
  tools: readonly CallableTool[];
  /** Position of the option that Enter selects; -1 for none. */
  active: number;
  onChoose: (tool: CallableTool) => void;
  /** The field's key handler, which also works here. */
  onKeyDown: (event: KeyboardEvent) => void;
  onBlur: (event: FocusEvent) => void;
}

/** The id of an option. */
export const optionId = (id: string, place: number): string => `${id}-${place}`;

/** Number of tools in the menu. */
export const shownTools = (tools: readonly CallableTool[]): number => Math.min(tools.length, MOST);

/** A list above the field, which keeps the focus. */
export function ToolMenu({ id, tools, active, onChoose, onKeyDown, onBlur }: ToolMenuProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      className="tool-menu"
      role="listbox"
      id={id}
      aria-label="Tools"
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
    </div>
  );
}
