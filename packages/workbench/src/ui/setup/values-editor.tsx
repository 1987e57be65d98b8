/**
 * Edits variables or headers. Values of the file are never shown: a page does not get them.
 *
 * @module
 */
import { X } from "lucide-react";
import { Button, Input, TextField } from "react-aria-components";
import { type ValueRow, valueRow } from "../../model/server-fields.js";
import { CheckRow } from "./check-row.js";

/** Props of a {@link ValuesEditor}. */
export interface ValuesEditorProps {
  /** The label of the group, such as `Variables`. */
  label: string;
  /** The name of a single value, such as `variable`. */
  one: string;
  rows: readonly ValueRow[];
  onChange: (rows: ValueRow[]) => void;
}

const KEPT = { secret: "stored secret", reference: "reference in the file", text: "value in the file" };

/** A row per value, and a button for another one. */
export function ValuesEditor({ label, one, rows, onChange }: ValuesEditorProps) {
  const change = (id: number, part: Partial<ValueRow>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset className="fields setup-values">
      <legend>{label}</legend>
      {rows.map(({ id, name, value, isSecret, kept }, index) => {
        const called = name || `${one} ${index + 1}`;
        return (
          <div key={id} className="setup-value">
            <TextField
              className="setup-value-name"
              aria-label={`Name of ${one} ${index + 1}`}
              value={name}
              onChange={(next) => change(id, { name: next, kept: undefined })}
            >
              <Input className="input mono" placeholder="NAME" spellCheck="false" autoComplete="off" />
            </TextField>
            <TextField
              className="setup-value-text"
              aria-label={`Value of ${called}`}
              type={isSecret ? "password" : "text"}
              value={value}
              onChange={(next) => change(id, { value: next })}
            >
              <Input
                className="input mono"
                placeholder={kept === undefined ? "value" : `${KEPT[kept]}: unchanged`}
                spellCheck="false"
                autoComplete="off"
              />
            </TextField>
            <CheckRow
              isSelected={isSecret}
              onChange={(next) => change(id, { isSecret: next })}
              aria-label={`${called} is a secret`}
            >
              Secret
            </CheckRow>
            <Button
              className="button quiet icon"
              aria-label={`Remove ${called}`}
              onPress={() => onChange(rows.filter((row) => row.id !== id))}
            >
              <X />
            </Button>
          </div>
        );
      })}
      <div>
        <Button className="button" onPress={() => onChange([...rows, valueRow()])}>
          Add a {one}
        </Button>
      </div>
      {rows.length > 0 && (
        <p className="soft small">
          Secrets are stored encrypted, outside of the settings file, and are never shown again.
        </p>
      )}
    </fieldset>
  );
}
