/**
 * The tools that come up while somebody types a slash.
 *
 * @module
 */
import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { ToolBadges } from "../servers/tool-badges.js";
import type { CallableTool } from "./command.js";

/** Tools that are listed: who has more types another letter. */
const MOST = 50;

/** Props of a {@link ToolMenu}. */
export interface ToolMenuProps {
  /** Begins the ids of its options, which the field names as the active one. */
  id: string;
  tools: readonly CallableTool[];
  /** The place of the one that Enter takes; -1 for none. */
  active: number;
  onChoose: (tool: CallableTool) => void;
  /** The field's keys: they mean the same here. */
  onKeyDown: (event: KeyboardEvent) => void;
  onBlur: (event: FocusEvent) => void;
}

/** The id of an option. */
export const optionId = (id: string, place: number): string => `${id}-${place}`;

/** How many of the tools the menu has. */
export const shownTools = (tools: readonly CallableTool[]): number => Math.min(tools.length, MOST);

/** A list above the field, in which the focus mostly stays. */
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
      // What scrolls must be reachable by keyboard.
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
          // The field keeps the focus.
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
