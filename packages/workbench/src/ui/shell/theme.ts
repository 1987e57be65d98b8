/**
 * Dark or light, for the page and the apps in it.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import { keep, readKept } from "./kept.js";

/** `system`: as the person's machine is. */
export type Theme = "system" | "light" | "dark";

/** The theme that was chosen last. */
export function keptTheme(): Theme {
  const kept = readKept("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Draws the page in a theme, and tells its apps: those that are there, and those that come. */
export function applyTheme(workbench: Workbench, choice: Theme): void {
  keep("theme", choice);
  document.documentElement.dataset["theme"] = choice;
  const theme = choice === "system" ? undefined : choice;
  workbench.look = { ...workbench.look, theme };
  for (const app of workbench.conversation.apps) app.setLook({ ...app.look, theme });
}
