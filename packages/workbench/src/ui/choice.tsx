/**
 * A select control.
 *
 * @module
 */
import { ChevronDown } from "lucide-react";
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components";

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

/** A select in the page's style. */
export function Choice(props: ChoiceProps) {
  const {
    label,
    showLabel,
    options,
    value,
    onChange,
    placeholder = "Choose…",
    id,
    isDisabled,
    isInvalid,
  } = props;
  const labelledBy = props["aria-labelledby"];
  const describedBy = props["aria-describedby"];
  return (
    <Select
      className="choice"
      value={value}
      onChange={(key) => key !== null && onChange(`${key}`)}
      placeholder={placeholder}
      isDisabled={isDisabled ?? false}
      isInvalid={isInvalid ?? false}
      {...(labelledBy ? { "aria-labelledby": labelledBy } : !showLabel && label && { "aria-label": label })}
      {...(describedBy && { "aria-describedby": describedBy })}
    >
      {showLabel && <Label className="soft small">{label}</Label>}
      <Button {...(id && { id })} className="input choice-button">
        {/* The chosen one's name, without its description. */}
        <SelectValue className="choice-value">
          {({ selectedText, defaultChildren }) =>
            options.find((option) => option.id === value)?.label ?? (selectedText || defaultChildren)
          }
        </SelectValue>
        <ChevronDown className="choice-arrow" />
      </Button>
      <Popover className="popover">
        <ListBox className="menu" items={options}>
          {(option) => (
            <ListBoxItem className="menu-item" textValue={option.label}>
              <span>{option.label}</span>
              {option.description && <span className="soft small">{option.description}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
