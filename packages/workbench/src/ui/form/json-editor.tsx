/**
 * The arguments as JSON.
 *
 * @module
 */
import { useId } from "react";
import { TextArea } from "react-aria-components";

/** Props of a {@link JsonEditor}. */
export interface JsonEditorProps {
  text: string;
  problems: readonly string[];
  /** Its name for screen readers. */
  label?: string | undefined;
  onChange: (text: string) => void;
}

/** A field for JSON, with its problems. */
export function JsonEditor({ text, problems, label = "Arguments as JSON", onChange }: JsonEditorProps) {
  const id = useId();
  return (
    <div className="field">
      <TextArea
        className="input mono json-text"
        aria-label={label}
        aria-describedby={id}
        aria-invalid={problems.length > 0}
        spellCheck={false}
        autoComplete="off"
        rows={Math.min(20, Math.max(6, text.split("\n").length))}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <div id={id} role="status" className="field-errors small">
        {problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
    </div>
  );
}
