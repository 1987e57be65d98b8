/**
 * A checkbox of the forms for servers.
 *
 * @module
 */
import type { ReactNode } from "react";
import { Checkbox } from "react-aria-components";

/** Props of a {@link CheckRow}. */
export interface CheckRowProps {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  children: ReactNode;
  isDisabled?: boolean | undefined;
  "aria-label"?: string | undefined;
}

/** A checkbox with its label. */
export function CheckRow(props: CheckRowProps) {
  const { isSelected, onChange, children, isDisabled } = props;
  const label = props["aria-label"];
  return (
    <Checkbox
      className="setup-check"
      isSelected={isSelected}
      onChange={onChange}
      isDisabled={isDisabled ?? false}
      {...(label !== undefined && { "aria-label": label })}
    >
      <span className="setup-box" aria-hidden="true" />
      <span className="setup-check-text">{children}</span>
    </Checkbox>
  );
}
