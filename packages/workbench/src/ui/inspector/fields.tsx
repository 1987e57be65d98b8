/**
 * Fields and buttons of the inspector.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { Button, Input, Label, NumberField, SearchField, TextField } from "react-aria-components";

/** Copies a text, and confirms it. */
export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(undefined), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid("Copied");
    } catch {
      setSaid("The browser does not let this page copy");
    }
  };
  return (
    <Button className="button" onPress={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}

/** A search field. It fires when the user pauses. */
export function SearchBox({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text), 200);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  // Cleared from elsewhere.
  useEffect(() => setText(value), [value]);
  return (
    <SearchField aria-label={label} className="in-search" value={text} onChange={setText}>
      <Input className="input" placeholder={label} />
    </SearchField>
  );
}

/** A text that is applied when it is complete. */
export function TextBox({
  label,
  value,
  placeholder,
  check,
  onChange,
}: {
  label: string;
  value: string;
  placeholder: string;
  /** Returns the problem with a text. */
  check: (text: string) => string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const problem = text === "" ? undefined : check(text);
  const apply = (): void => {
    if (!problem && text !== value) onChange(text || undefined);
  };
  return (
    <TextField
      className="in-field"
      value={text}
      onChange={setText}
      isInvalid={problem !== undefined}
      onBlur={apply}
      onKeyDown={(event) => event.key === "Enter" && apply()}
    >
      <Label className="soft small">{label}</Label>
      <Input className="input" placeholder={placeholder} />
      {problem && (
        <span className="in-field-problem small" role="status">
          {problem}
        </span>
      )}
    </TextField>
  );
}

/** A number of pixels, or none. */
export function PixelBox({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <NumberField
      className="in-field"
      value={value ?? Number.NaN}
      minValue={0}
      maxValue={10_000}
      onChange={(next) => onChange(Number.isNaN(next) ? undefined : next)}
    >
      <Label className="soft small">{label}</Label>
      <Input className="input" placeholder="–" />
    </NumberField>
  );
}
