/**
 * Display modes that the page itself offers for an app.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import type { Profile } from "../profiles/profile.js";

/** Modes that an app can be put into (I07): those of the host that the app declares, and `inline` always. */
export function allowedModes(
  { displayModes }: Pick<Profile, "displayModes">,
  declared: readonly DisplayMode[] = displayModes,
): DisplayMode[] {
  return displayModes.filter((mode) => mode === "inline" || declared.includes(mode));
}

/**
 * What a person may put an app into; `declared` are the app's `availableDisplayModes`. An app that names none may fill the
 * page, as one that is only larger; to float is for those that say so.
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
