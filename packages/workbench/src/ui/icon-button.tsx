/**
 * A button that shows an icon. Its name is read aloud, and appears in a tooltip.
 *
 * @module
 */
import type { LucideIcon } from "lucide-react";
import { type ComponentProps, useEffect, useId, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { part } from "./part.js";

/** Loaded when the pointer or the focus reaches the first button. */
const OpenTooltip = part("The tooltip", async () => (await import("./open-tooltip.js")).OpenTooltip);

/** Milliseconds of pointing before the tooltip appears. */
const DELAY = 400;

/** Hides the visible tooltip: there is one at a time. */
let hideShown = (): void => {};

type ButtonProps = ComponentProps<typeof Button>;

/** Props of an {@link IconButton}. */
export interface IconButtonProps extends Pick<ButtonProps, "id" | "className" | "isDisabled" | "onPress"> {
  icon: LucideIcon;
  /** The name for screen readers. */
  name: string;
  /** The tooltip, if it differs from the name. */
  tip?: string;
}

/** A button with an icon from the page's icon set. */
export function IconButton({ icon: Icon, name, tip = name, className, ...props }: IconButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { isShown, hide, events } = useTooltip();
  return (
    <>
      <Button
        {...props}
        {...events}
        ref={button}
        className={className ?? "button quiet icon"}
        aria-label={name}
        {...(isShown && { "aria-describedby": id })}
      >
        <Icon />
      </Button>
      {isShown && <OpenTooltip anchor={button} id={id} text={tip} onClose={hide} />}
    </>
  );
}

/** Shows a tooltip after a while of pointing, or at once for the focus of a keyboard. */
function useTooltip() {
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = useRef(() => {
    clearTimeout(timer.current);
    setShown(false);
  }).current;
  const show = (): void => {
    if (hideShown !== hide) hideShown();
    hideShown = hide;
    setShown(true);
  };
  useEffect(() => {
    if (!isShown) return undefined;
    const pressed = ({ key }: globalThis.KeyboardEvent): void => {
      if (key === "Escape") hide();
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  }, [isShown, hide]);
  useEffect(() => hide, [hide]);
  const events = {
    onHoverStart: () => {
      OpenTooltip.prepare();
      timer.current = setTimeout(show, DELAY);
    },
    onHoverEnd: hide,
    onFocus: ({ target }: { target: Element }) => {
      if (target.matches(":focus-visible")) show();
    },
    onBlur: hide,
    onPressStart: hide,
  };
  return { isShown, hide, events };
}
