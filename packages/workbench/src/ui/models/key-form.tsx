/**
 * A field for a key. The key is sent once; the page forgets it at once, and cannot show it again.
 *
 * @module
 */
import { type FormEvent, useState } from "react";
import { Button, Input, Label, TextField } from "react-aria-components";

/** Props of a {@link KeyForm}. */
export interface KeyFormProps {
  label: string;
  /** Returns why it was not saved. */
  onSave: (key: string) => Promise<string | undefined>;
}

/** A field and a button. */
export function KeyForm({ label, onSave }: KeyFormProps) {
  const [key, setKey] = useState("");
  const [said, setSaid] = useState<{ problem?: string | undefined }>();
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const entered = key;
    setKey("");
    setSaid({ problem: await onSave(entered) });
  };
  return (
    <form className="models-key" onSubmit={(event) => void save(event)}>
      <TextField type="password" autoComplete="off" value={key} onChange={setKey}>
        <Label className="soft small">{label}</Label>
        <Input className="input" spellCheck="false" data-1p-ignore />
      </TextField>
      <Button className="button" type="submit" isDisabled={key.trim() === ""}>
        Save
      </Button>
      <p className={said?.problem === undefined ? "soft small" : "problem small"} role="status">
        {said && (said.problem ?? "Saved.")}
      </p>
    </form>
  );
}
