/**
 * Display mode buttons for an app, which may have none of its own.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import { type LucideIcon, Maximize2, Minimize2, PictureInPicture2 } from "lucide-react";
import type { AppModel } from "../../model/app/app-model.js";
import { offeredModes } from "../../model/app/offered-modes.js";
import { IconButton } from "../icon-button.js";

const MODES: Readonly<Record<DisplayMode, { label: string; icon: LucideIcon }>> = {
  inline: { label: "Inline", icon: Minimize2 },
  fullscreen: { label: "Full screen", icon: Maximize2 },
  pip: { label: "Floating", icon: PictureInPicture2 },
};

/** A button for each supported mode. Esc, and Close in the frame, lead back. */
export function ModeButtons({ app, name }: { app: AppModel; name: string }) {
  if (app.state !== "ready") return null;
  return offeredModes(app.profile, app.details?.appCapabilities.availableDisplayModes).map((mode) => {
    const { label, icon } = MODES[mode];
    return (
      <IconButton
        key={mode}
        icon={icon}
        name={`${label}: ${name}`}
        tip={`${label} (Esc leads back)`}
        onPress={() => app.element.frame?.setDisplayMode(mode)}
      />
    );
  });
}
