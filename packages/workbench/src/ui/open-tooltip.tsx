/**
 * A visible tooltip.
 *
 * @module
 */
import { type RefObject, useMemo } from "react";
import { Tooltip, TooltipTriggerStateContext } from "react-aria-components";

/** Props of an {@link OpenTooltip}. */
export interface OpenTooltipProps {
  anchor: RefObject<HTMLElement | null>;
  id: string;
  text: string;
  /** The page was scrolled, for example. */
  onClose: () => void;
}

/** The tooltip of an element. The element decides when it is shown. */
export function OpenTooltip({ anchor, id, text, onClose }: OpenTooltipProps) {
  const state = useMemo(
    () => ({ isOpen: true, shouldSkipAnimation: true, open: () => {}, close: onClose }),
    [onClose],
  );
  return (
    <TooltipTriggerStateContext value={state}>
      <Tooltip className="tooltip" triggerRef={anchor}>
        <span id={id}>{text}</span>
      </Tooltip>
    </TooltipTriggerStateContext>
  );
}
