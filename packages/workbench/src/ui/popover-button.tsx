/**
 * A button with a dialog beside it.
 *
 * @module
 */
import { type ComponentProps, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { OpenPopoverProps } from "./open-popover.js";
import { part } from "./part.js";

/** Loaded when the pointer or the focus reaches the first button. */
const OpenPopover = part("The dialog", async () => (await import("./open-popover.js")).OpenPopover);

/** Props of a {@link PopoverButton}. */
export interface PopoverButtonProps extends Omit<OpenPopoverProps, "anchor" | "onClose"> {
  button: ComponentProps<typeof Button> & { "data-stale"?: boolean | undefined };
  /** Loads what the dialog shows. */
  prepare?: () => void;
}

/** A button that opens a dialog. The dialog is not in the page until then. */
export function PopoverButton({ button, prepare, ...dialog }: PopoverButtonProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const load = (): void => {
    OpenPopover.prepare();
    prepare?.();
  };
  return (
    <>
      <Button
        {...button}
        ref={anchor}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onHoverStart={load}
        onFocus={load}
        onPress={() => setOpen(true)}
      />
      {isOpen && <OpenPopover {...dialog} anchor={anchor} onClose={() => setOpen(false)} />}
    </>
  );
}
