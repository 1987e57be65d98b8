/**
 * Dark or light theme, for the page and its apps.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import { keep, readKept } from "./kept.js";

/** `system`: the theme of the user's system. */
export type ThemeChoice = "system" | "light" | "dark";

/** The themes, as users choose them. */
export const THEMES: { id: ThemeChoice; label: string }[] = [
  { id: "system", label: "System theme" },
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
];

/** Whether a text names a theme. */
export const isTheme = (id: string): id is ThemeChoice => THEMES.some((each) => each.id === id);

/** The last selected theme. */
export function keptTheme(): ThemeChoice {
  const kept = readKept("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Applies a theme to the page and its apps, existing and new. */
export function applyTheme(workbench: Workbench, choice: ThemeChoice): void {
  keep("theme", choice);
  document.documentElement.dataset["theme"] = choice;
  const theme = choice === "system" ? undefined : choice;
  workbench.look = { ...workbench.look, theme };
  for (const app of workbench.conversation.apps) app.setLook({ ...app.look, theme });
}
