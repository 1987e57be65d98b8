/**
 * An open dialog, below its button.
 *
 * @module
 */
import type { ReactNode, RefObject } from "react";
import { Dialog, Popover, type PopoverProps } from "react-aria-components";

/** Props of an {@link OpenPopover}. */
export interface OpenPopoverProps {
  anchor: RefObject<HTMLElement | null>;
  /** The class of the dialog. */
  className: string;
  /** Without a name, its heading names it. An alertdialog needs one: the popover around it counts as a dialog, too. */
  label?: string | undefined;
  role?: "dialog" | "alertdialog" | undefined;
  placement?: PopoverProps["placement"];
  popoverClass?: string | undefined;
  children: (close: () => void) => ReactNode;
  onClose: () => void;
}

/** The dialog. It returns the focus to its button. */
export function OpenPopover(props: OpenPopoverProps) {
  const { anchor, className, label, role = "dialog", placement = "bottom", popoverClass = "" } = props;
  const { children, onClose } = props;
  const name = label !== undefined && { "aria-label": label };
  return (
    <Popover
      {...name}
      className={`popover ${popoverClass}`}
      triggerRef={anchor}
      placement={placement}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Dialog className={className} role={role} {...name}>
        {children(onClose)}
      </Dialog>
    </Popover>
  );
}
