/**
 * Commands and keys of the whole page.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import type { PaletteEntry } from "./palette-entries.js";
import type { Screen } from "./screen.js";
import { keysOf, type Shortcut } from "./shortcuts.js";
import { applyTheme, THEMES } from "./theme.js";
import { go } from "./use-hash.js";

const toField = (): void => {
  document.querySelector<HTMLTextAreaElement>(".composer-text")?.focus();
};

/** Keys that work anywhere in the page. */
export const pageShortcuts = ({ conversation }: Workbench, screen: Screen): Shortcut[] => [
  {
    name: "Search tools, commands and conversations",
    key: "k",
    isCommand: true,
    act: () => screen.show(screen.overlay === "palette" ? undefined : "palette"),
  },
  { name: "Show or hide what is under the hood", key: "i", isCommand: true, act: () => screen.setMode() },
  {
    name: "New conversation",
    key: "o",
    isCommand: true,
    isShifted: true,
    act: () => void conversation.open(),
  },
  { name: "Write a message", key: "/", act: toField },
  { name: "Keyboard shortcuts", key: "?", act: () => screen.show("shortcuts") },
];

/** Commands of the palette. */
export const pageCommands = (
  workbench: Workbench,
  screen: Screen,
  shortcuts: readonly Shortcut[],
): PaletteEntry[] => [
  ...shortcuts
    .filter(({ key }) => key !== "k" && key !== "/")
    .map((each) => ({ id: `key ${each.name}`, title: each.name, keys: keysOf(each), act: each.act })),
  {
    id: "approvals",
    title: "Permissions: everything that you have allowed",
    words: "consent approval revoke",
    act: () => screen.show("approvals"),
  },
  {
    id: "tour",
    title: "Tour: four places of this page",
    words: "help start",
    act: () => {
      if (screen.mode !== "use") screen.setMode("use");
      screen.tourTo("apps");
    },
  },
  { id: "grid", title: "Grid: one app in many sizes and themes", act: () => go("grid") },
  ...THEMES.map(({ id, label }) => ({
    id: `theme ${id}`,
    title: `Theme: ${label}`,
    words: "colour dark light",
    act: () => applyTheme(workbench, id),
  })),
];
