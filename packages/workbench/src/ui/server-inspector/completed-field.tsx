/**
 * A text field with the server's suggestions.
 *
 * @module
 */
import type { CompletionSource } from "@vitrine/wire";
import { useEffect, useId, useState } from "react";
import { Input, Label, TextField } from "react-aria-components";
import type { InspectedServer } from "../../model/server/inspected-server.js";

/** Props of a {@link CompletedField}. */
export interface CompletedFieldProps {
  /** Undefined if the server completes nothing. */
  inspected: InspectedServer | undefined;
  source: CompletionSource;
  name: string;
  label: string;
  description?: string | undefined;
  isRequired?: boolean | undefined;
  value: string;
  /** All values of the form: those of other fields may narrow the suggestions. */
  values: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}

/** Milliseconds after the last letter before the server is asked. */
const PAUSE = 150;

/** The field. The server is asked while the user types. */
export function CompletedField(props: CompletedFieldProps) {
  const { inspected, source, name, label, description, isRequired = false, value, values, onChange } = props;
  const id = useId();
  const [isFocused, setFocused] = useState(false);
  const [found, setFound] = useState<readonly string[]>([]);
  const key = JSON.stringify([source, values]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the source and the values.
  useEffect(() => {
    if (!isFocused || !inspected) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const { [name]: typed = "", ...others } = values;
      inspected.complete(source, { name, value: typed }, others, controller.signal).then(
        (next) => !controller.signal.aborted && setFound(next),
        // Suggestions are a help: without them, the field works.
        () => {},
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isFocused, inspected, key, name]);
  return (
    <TextField
      className="in-field"
      value={value}
      onChange={onChange}
      isRequired={isRequired}
      onFocusChange={setFocused}
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
