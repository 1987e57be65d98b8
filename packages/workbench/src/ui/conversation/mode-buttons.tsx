/**
 * Display mode buttons for an app, which may have none of its own.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import { Button, Tooltip, TooltipTrigger } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import { offeredModes } from "../../model/app/offered-modes.js";

const MODES: Readonly<Record<DisplayMode, { label: string; drawing: string }>> = {
  inline: { label: "Inline", drawing: "" },
  fullscreen: { label: "Full screen", drawing: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" },
  pip: { label: "Floating", drawing: "M14 7V3H2v10h4M8.5 9.5H14V13H8.5z" },
};

/** A button for each supported mode. Esc, and Close in the frame, lead back. */
export function ModeButtons({ app, name }: { app: AppModel; name: string }) {
  if (app.state !== "ready") return null;
  return offeredModes(app.profile, app.details?.appCapabilities.availableDisplayModes).map((mode) => {
    const { label, drawing } = MODES[mode];
    return (
      <TooltipTrigger key={mode} delay={400}>
        <Button
          className="button quiet icon"
          aria-label={`${label}: ${name}`}
          onPress={() => app.element.frame?.setDisplayMode(mode)}
        >
          <svg className="mode-drawing" viewBox="0 0 16 16" aria-hidden="true">
            <path d={drawing} />
          </svg>
        </Button>
        <Tooltip className="tooltip">{label} (Esc leads back)</Tooltip>
      </TooltipTrigger>
    );
  });
}
