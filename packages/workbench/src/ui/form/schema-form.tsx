/**
 * A form for any schema, in the page's style.
 *
 * @module
 */
// Not from the package's main entry point, which includes a test helper with a validator that needs `eval`.
import Form from "@rjsf/core/lib/components/Form.js";
import type { RJSFSchema } from "@rjsf/utils";
import type { Ref } from "react";
import "./form.css";
import { DEFAULTS, plain } from "./starting-input.js";
import { templates } from "./templates.js";
import { validator } from "./validator.js";
import { widgets } from "./widgets.js";

type Values = Record<string, unknown>;

/** A handle to submit or check the form. */
export type SchemaFormHandle = Form;

const NO_BUTTON = <span hidden />;

/** Props of a {@link SchemaForm}. */
export interface SchemaFormProps {
  ref?: Ref<SchemaFormHandle>;
  schema: RJSFSchema;
  value: Values;
  /** Prefix of its field ids, unique in the page. */
  idPrefix: string;
  /** `isByPerson` is false if the form only added defaults. */
  onChange: (value: Values, isByPerson: boolean) => void;
  /** Called on a submit with errors. */
  onError?: () => void;
  onSubmit: (value: Values) => void;
}

/** A form without a button: the owner submits it through its ref. */
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

/** Focuses the first invalid field. */
export function focusFirstError(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] button')?.focus();
}
