/**
 * Keys for the whole page. An app that has the focus keeps its keys.
 *
 * @module
 */
import { useEffect } from "react";

/** A key for the whole page. */
export interface Shortcut {
  readonly name: string;
  /** As in `KeyboardEvent.key`, in lower case. */
  readonly key: string;
  /** With Ctrl, or ⌘ on a Mac. */
  readonly isCommand?: boolean;
  readonly isShifted?: boolean;
  readonly act: () => void;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys as the user's keyboard names them. */
export function keysOf({ key, isCommand, isShifted }: Omit<Shortcut, "name" | "act">): string {
  const name = key.length === 1 ? key.toUpperCase() : key;
  if (isMac) return `${isShifted ? "⇧" : ""}${isCommand ? "⌘" : ""}${name}`;
  return [isCommand && "Ctrl", isShifted && "Shift", name].filter(Boolean).join(" + ");
}

/** Whether somebody types into an element. */
const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether a key event is the shortcut. Keys without Ctrl or ⌘ do not count where somebody types. */
export function isPressed(shortcut: Omit<Shortcut, "name" | "act">, event: KeyboardEvent): boolean {
  const { key, isCommand = false, isShifted = false } = shortcut;
  if (event.isComposing || event.repeat || event.altKey || event.key.toLowerCase() !== key) return false;
  if ((isMac ? event.metaKey : event.ctrlKey) !== isCommand) return false;
  // Some keyboards need Shift for characters such as `?` and `/`.
  if (!/^[^a-z]$/.test(key) && event.shiftKey !== isShifted) return false;
  return isCommand || !isField(event.target);
}

/** Acts on the keys while the page is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      const shortcut = shortcuts.find((each) => isPressed(each, event));
      if (!shortcut) return;
      event.preventDefault();
      shortcut.act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [shortcuts]);
}
