/**
 * The tabs of the panes, which a narrow screen shows one at a time while inspecting.
 *
 * @module
 */
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Pane, Screen } from "./screen.js";

const PANES: { id: Pane; title: string }[] = [
  { id: "tools", title: "Tools" },
  { id: "conversation", title: "Conversation" },
  { id: "inspector", title: "Inspector" },
];

/** Props of {@link PaneTabs}. */
export interface PaneTabsProps {
  screen: Screen;
  pane: Pane;
  /** Whether the conversation has an open question. */
  isAsking: boolean;
}

/** The tabs. */
export function PaneTabs({ screen, pane, isAsking }: PaneTabsProps) {
  return (
    <nav className="pane-tabs" aria-label="Panes">
      <ToggleButtonGroup
        aria-label="Pane"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[pane]}
        onSelectionChange={(keys) => {
          const id = PANES.find((each) => keys.has(each.id))?.id;
          if (id) screen.setPane(id);
        }}
      >
        {PANES.map(({ id, title }) => (
          <ToggleButton key={id} id={id} className="pane-tab">
            {title}
            {id === "conversation" && isAsking && <span className="badge warn">asks</span>}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </nav>
  );
}
