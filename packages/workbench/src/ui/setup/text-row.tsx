/**
 * A labelled text field of the forms for servers.
 *
 * @module
 */
import { Input, Label, Text, TextArea, TextField } from "react-aria-components";

/** Props of a {@link TextRow}. */
export interface TextRowProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Explains the field. */
  help?: string | undefined;
  placeholder?: string | undefined;
  /** Several lines. */
  isLong?: boolean | undefined;
  isMono?: boolean | undefined;
  autoFocus?: boolean | undefined;
}

/** A field with its label and help. */
export function TextRow({
  label,
  value,
  onChange,
  help,
  placeholder,
  isLong,
  isMono,
  autoFocus,
}: TextRowProps) {
  const className = isMono ? "input mono" : "input";
  const given = { className, ...(placeholder !== undefined && { placeholder }) };
  return (
    <TextField className="field" value={value} onChange={onChange} autoFocus={autoFocus ?? false}>
      <Label>{label}</Label>
      {isLong ? (
        <TextArea rows={3} spellCheck="false" {...given} />
      ) : (
        <Input spellCheck="false" autoComplete="off" {...given} />
      )}
      {help !== undefined && (
        <Text slot="description" className="soft small">
          {help}
        </Text>
      )}
    </TextField>
  );
}
