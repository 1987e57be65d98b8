/**
 * Display modes that the page itself offers for an app.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import type { Profile } from "../profiles/profile.js";

/** Modes that an app can use: those of the host that the app declares, and always `inline`. */
export function allowedModes(
  { displayModes }: Pick<Profile, "displayModes">,
  declared: readonly DisplayMode[] = displayModes,
): DisplayMode[] {
  return displayModes.filter((mode) => mode === "inline" || declared.includes(mode));
}

/**
 * Modes that the user may choose; `declared` are the app's `availableDisplayModes`. An app without
 * declarations may be fullscreen, which only makes it larger; floating must be declared.
 */
export function offeredModes(
  { displayModes }: Pick<Profile, "displayModes">,
  declared: readonly DisplayMode[] | undefined,
): DisplayMode[] {
  const modes: readonly DisplayMode[] = declared ?? ["fullscreen"];
  return (["fullscreen", "pip"] as const).filter(
    (mode) => displayModes.includes(mode) && modes.includes(mode),
  );
}
