/**
 * An open menu, below its button.
 *
 * @module
 */
import type { RefObject } from "react";
import { Menu, MenuItem, Popover, type PopoverProps } from "react-aria-components";

/** An entry of a menu. */
export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  /** A second line. */
  readonly note?: string | undefined;
  readonly isDisabled?: boolean | undefined;
}

/** Props of an {@link OpenMenu}. */
export interface OpenMenuProps {
  anchor: RefObject<HTMLElement | null>;
  /** The menu's name for screen readers. */
  name: string;
  entries: readonly MenuEntry[];
  placement?: PopoverProps["placement"];
  onAction: (id: string) => void;
  onClose: () => void;
}

/** The menu. It closes after an action, and returns the focus to its button. */
export function OpenMenu({
  anchor,
  name,
  entries,
  placement = "bottom start",
  onAction,
  onClose,
}: OpenMenuProps) {
  return (
    <Popover
      className="popover"
      aria-label={name}
      triggerRef={anchor}
      placement={placement}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Menu
        className="menu"
        aria-label={name}
        autoFocus="first"
        disabledKeys={entries.flatMap(({ id, isDisabled }) => (isDisabled ? [id] : []))}
        onAction={(key) => onAction(`${key}`)}
        onClose={onClose}
      >
        {entries.map(({ id, label, note }) => (
          <MenuItem key={id} id={id} className="menu-item" textValue={label}>
            {label}
            {note !== undefined && <span className="soft small">{note}</span>}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
