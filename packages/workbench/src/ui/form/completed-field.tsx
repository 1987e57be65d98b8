/**
 * A text field with the server's suggestions.
 *
 * @module
 */
import { useEffect, useId, useState } from "react";
import { Input, Label, TextField } from "react-aria-components";
import type { Complete } from "../../model/server/completion.js";
import "./completed-field.css";

/** Props of a {@link CompletedField}. */
export interface CompletedFieldProps {
  /** Undefined if the server completes nothing. */
  complete: Complete | undefined;
  name: string;
  label: string;
  description?: string | undefined;
  isRequired?: boolean | undefined;
  value: string;
  /** Whether it has the focus when it appears. */
  isFocusedFirst?: boolean | undefined;
  /** All values of the form: those of other fields may narrow the suggestions. */
  values: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}

/** Milliseconds after the last letter before the server is asked. */
const PAUSE = 150;

/** The field. The server is asked while the user types. */
export function CompletedField(props: CompletedFieldProps) {
  const {
    complete,
    name,
    label,
    description,
    isRequired = false,
    isFocusedFirst = false,
    value,
    values,
    onChange,
  } = props;
  const id = useId();
  const [isFocused, setFocused] = useState(false);
  const [found, setFound] = useState<readonly string[]>([]);
  const key = JSON.stringify(values);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the values, and the function is made anew in each render.
  useEffect(() => {
    if (!isFocused || !complete) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const { [name]: typed = "", ...others } = values;
      complete({ name, value: typed }, others, controller.signal).then(
        (next) => !controller.signal.aborted && setFound(next),
        // Suggestions are a help: without them, the field works.
        () => {},
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isFocused, complete !== undefined, key, name]);
  return (
    <TextField
      className="completed-field"
      value={value}
      onChange={onChange}
      isRequired={isRequired}
      onFocusChange={setFocused}
      autoFocus={isFocusedFirst}
    >
      <Label className="soft small">
        {label}
        {isRequired && " (required)"}
      </Label>
      <Input className="input" list={id} autoComplete="off" />
      <datalist id={id}>
        {found.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {description && <span className="soft small">{description}</span>}
      {/* They stay when the field is left: what is below must not move away under a click. */}
      {found.length > 0 && (
        <span className="soft small" role="status">
          Suggestions: {found.slice(0, 8).join(", ")}
          {found.length > 8 && " …"}
        </span>
      )}
    </TextField>
  );
}
