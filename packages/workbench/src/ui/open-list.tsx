/**
 * The open list of a select control.
 *
 * @module
 */
import type { RefObject } from "react";
import { ListBox, ListBoxItem, Popover } from "react-aria-components";
import type { Option } from "./choice.js";

/** Props of an {@link OpenList}. */
export interface OpenListProps {
  anchor: RefObject<HTMLElement | null>;
  /** The id of the element that names the list. */
  labelledBy: string;
  options: readonly Option[];
  value: string | null;
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** The list. It closes after a choice, and returns the focus to its control. */
export function OpenList({ anchor, labelledBy, options, value, onChoose, onClose }: OpenListProps) {
  return (
    <Popover
      className="popover"
      aria-labelledby={labelledBy}
      triggerRef={anchor}
      placement="bottom start"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <ListBox
        className="menu"
        aria-labelledby={labelledBy}
        items={options}
        autoFocus={value === null ? "first" : true}
        selectionMode="single"
        shouldFocusWrap
        selectedKeys={value === null ? [] : [value]}
        // None: the one that was chosen before.
        onSelectionChange={(keys) => {
          onClose();
          for (const key of keys) onChoose(`${key}`);
        }}
      >
        {(option) => (
          <ListBoxItem className="menu-item" textValue={option.label}>
            <span>{option.label}</span>
            {option.description && <span className="soft small">{option.description}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  );
}
