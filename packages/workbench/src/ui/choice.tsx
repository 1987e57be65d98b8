/**
 * A select control.
 *
 * @module
 */
import { ChevronDown } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { opens } from "./menu-button.js";
import { part } from "./part.js";

/** Loaded when the pointer or the focus reaches the first control. */
const OpenList = part("The list", async () => (await import("./open-list.js")).OpenList);

/** Something that can be chosen. */
export interface Option {
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
}

/** Props of a {@link Choice}. */
export interface ChoiceProps {
  /** The label; drawn only with `showLabel`. */
  label?: string | undefined;
  showLabel?: boolean | undefined;
  options: readonly Option[];
  value: string | null;
  onChange: (id: string) => void;
  placeholder?: string | undefined;
  id?: string | undefined;
  isDisabled?: boolean | undefined;
  isInvalid?: boolean | undefined;
  "aria-labelledby"?: string | undefined;
  "aria-describedby"?: string | undefined;
}

/** A select in the page's style. Its list is not in the page until it is opened. */
export function Choice(props: ChoiceProps) {
  const {
    label,
    showLabel,
    options,
    value,
    onChange,
    placeholder = "Choose…",
    isDisabled,
    isInvalid,
  } = props;
  const ownId = useId();
  const id = props.id ?? `${ownId}-button`;
  const labelId = props["aria-labelledby"] ?? `${ownId}-label`;
  const describedBy = props["aria-describedby"];
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const chosen = options.find((option) => option.id === value);
  return (
    <div className="choice" data-invalid={isInvalid || undefined}>
      {label !== undefined && props["aria-labelledby"] === undefined && (
        <span id={labelId} className={showLabel ? "soft small" : "visually-hidden"}>
          {label}
        </span>
      )}
      <Button
        ref={button}
        id={id}
        className="input choice-button"
        isDisabled={isDisabled ?? false}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-labelledby={`${ownId}-value ${labelId}`}
        {...(describedBy && { "aria-describedby": describedBy })}
        onHoverStart={OpenList.prepare}
        onFocus={OpenList.prepare}
        onPress={() => setOpen(true)}
        onKeyDown={(event) => opens(event) && setOpen(true)}
      >
        {/* The chosen one's name, without its description. */}
        <span id={`${ownId}-value`} className="choice-value" data-placeholder={!chosen || undefined}>
          {chosen?.label ?? placeholder}
        </span>
        <ChevronDown className="choice-arrow" />
      </Button>
      {isOpen && (
        <OpenList
          anchor={button}
          labelledBy={labelId}
          options={options}
          value={value}
          onChoose={onChange}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
