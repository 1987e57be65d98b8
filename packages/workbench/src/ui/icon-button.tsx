/**
 * A button that shows an icon. Its name is read aloud, and appears in a tooltip.
 *
 * @module
 */
import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Button, Tooltip, TooltipTrigger } from "react-aria-components";

/** Milliseconds of pointing before the tooltip appears. */
const DELAY = 400;

/** Props of an {@link IconButton}. */
export interface IconButtonProps extends Omit<ComponentProps<typeof Button>, "aria-label" | "children"> {
  icon: LucideIcon;
  /** The name for screen readers. */
  name: string;
  /** The tooltip, if it differs from the name. */
  tip?: string;
}

/** A button with an icon from the page's icon set. */
export function IconButton({
  icon: Icon,
  name,
  tip = name,
  className = "button quiet icon",
  ...props
}: IconButtonProps) {
  return (
    <TooltipTrigger delay={DELAY}>
      <Button {...props} className={className} aria-label={name}>
        <Icon />
      </Button>
      <Tooltip className="tooltip">{tip}</Tooltip>
    </TooltipTrigger>
  );
}
