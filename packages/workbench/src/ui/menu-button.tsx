/**
 * A button with a menu.
 *
 * @module
 */
import { type ReactNode, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { OpenMenuProps } from "./open-menu.js";
import { part } from "./part.js";

/** Loaded when the pointer or the focus reaches the first button. */
const OpenMenu = part("The menu", async () => (await import("./open-menu.js")).OpenMenu);

/** Props of a {@link MenuButton}. */
export interface MenuButtonProps extends Pick<OpenMenuProps, "entries" | "placement" | "onAction"> {
  /** The name for screen readers, and of the menu. */
  name: string;
  className?: string;
  children: ReactNode;
}

/** A button that opens a menu. The menu is not in the page until then. */
export function MenuButton({ name, className = "button quiet icon", children, ...menu }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        ref={button}
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onHoverStart={OpenMenu.prepare}
        onFocus={OpenMenu.prepare}
        onPress={() => setOpen(true)}
        onKeyDown={(event) => opens(event) && setOpen(true)}
      >
        {children}
      </Button>
      {isOpen && <OpenMenu {...menu} anchor={button} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A key on a button. Without `continuePropagation`, it reaches nothing around the button. */
interface PressedKey {
  readonly key: string;
  preventDefault(): void;
  continuePropagation?(): void;
}

/** Arrow keys open a menu or a list, too. Others pass: Escape closes a dialog around the button. */
export function opens(event: PressedKey): boolean {
  const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (isArrow) event.preventDefault();
  else event.continuePropagation?.();
  return isArrow;
}
