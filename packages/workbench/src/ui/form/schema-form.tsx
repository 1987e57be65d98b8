/**
 * Fields for whatever a schema asks for, in the page's style.
 *
 * @module
 */
// Not by the package's front door: behind that is a test helper that wants a validator which needs `eval`.
import Form from "@rjsf/core/lib/components/Form.js";
import type { RJSFSchema } from "@rjsf/utils";
import type { Ref } from "react";
import "./form.css";
import { DEFAULTS, plain } from "./starting-input.js";
import { templates } from "./templates.js";
import { validator } from "./validator.js";
import { widgets } from "./widgets.js";

type Values = Record<string, unknown>;

/** The form itself, to submit or check it. */
export type SchemaFormHandle = Form;

const NO_BUTTON = <span hidden />;

/** Props of a {@link SchemaForm}. */
export interface SchemaFormProps {
  ref?: Ref<SchemaFormHandle>;
  schema: RJSFSchema;
  value: Values;
  /** Begins the names of its fields, which are in the page once. */
  idPrefix: string;
  /** `isByPerson` is false if no field was changed, and the form added defaults. */
  onChange: (value: Values, isByPerson: boolean) => void;
  /** It was submitted, and something in it is wrong. */
  onError?: () => void;
  onSubmit: (value: Values) => void;
}

/** A form without a button: whoever shows it submits it by its ref. */
export function SchemaForm({ ref, schema, value, idPrefix, onChange, onError, onSubmit }: SchemaFormProps) {
  return (
    <Form
      {...(ref && { ref })}
      schema={schema}
      validator={validator}
      templates={templates}
      widgets={widgets}
      formData={value}
      idPrefix={idPrefix}
      experimental_defaultFormStateBehavior={DEFAULTS}
      useFallbackUiForUnsupportedType
      showErrorList={false}
      noHtml5Validate
      onError={() => onError?.()}
      onChange={({ formData }, ...field) => onChange(plain(formData), field.length > 0)}
      onSubmit={({ formData }) => onSubmit(plain(formData))}
    >
      {/* In place of its own button. */}
      {NO_BUTTON}
    </Form>
  );
}

/** Goes to what is wrong. */
export function focusFirstError(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] button')?.focus();
}
