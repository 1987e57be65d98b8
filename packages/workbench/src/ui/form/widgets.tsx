/**
 * Form widgets in the page's style.
 *
 * @module
 */
import {
  ariaDescribedByIds,
  type BaseInputTemplateProps,
  getInputProps,
  type RegistryWidgetsType,
  titleId,
  type WidgetProps,
} from "@rjsf/utils";
import { useState } from "react";
import { Checkbox, CheckboxGroup, Input, TextArea } from "react-aria-components";
import { Choice } from "../choice.js";

/** Length from which a text gets several lines. */
const LONG = 60;

/** Accessibility attributes of all fields. */
const described = ({ id, required, rawErrors }: Pick<WidgetProps, "id" | "required" | "rawErrors">) => ({
  id,
  "aria-describedby": ariaDescribedByIds(id),
  "aria-required": required ?? false,
  "aria-invalid": (rawErrors?.length ?? 0) > 0,
});

/** A field of one line: text, numbers, dates, addresses. */
export function InputField(props: BaseInputTemplateProps) {
  const { id, value, type, schema, options, readonly, disabled, placeholder } = props;
  const { onChange, onChangeOverride, onBlur, onFocus } = props;
  const attributes = getInputProps(schema, type, options);
  const examples = Array.isArray(schema.examples) ? schema.examples.map(String) : [];
  return (
    <>
      <Input
        {...attributes}
        {...described(props)}
        className="input"
        name={id}
        value={value ?? ""}
        placeholder={placeholder ?? ""}
        readOnly={readonly ?? false}
        disabled={disabled ?? false}
        autoComplete="off"
        {...(examples.length > 0 && { list: `${id}__list` })}
        onChange={
          onChangeOverride ??
          (({ target }) => onChange(target.value === "" ? options.emptyValue : target.value))
        }
        onBlur={({ target }) => onBlur(id, target.value)}
        onFocus={({ target }) => onFocus(id, target.value)}
      />
      {examples.length > 0 && (
        <datalist id={`${id}__list`}>
          {examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Text: in several lines if it was long when the form was opened. */
function TextField(props: WidgetProps) {
  const { value, schema } = props;
  const [isLong] = useState(() =>
    [value, schema.default].some(
      (text) => typeof text === "string" && (text.length > LONG || text.includes("\n")),
    ),
  );
  return isLong ? <LongText {...props} /> : <InputField {...props} />;
}

function LongText(props: WidgetProps) {
  const { id, value, options, readonly, disabled, onChange, onBlur, onFocus } = props;
  return (
    <TextArea
      {...described(props)}
      className="input long"
      rows={4}
      spellCheck={false}
      value={value ?? ""}
      readOnly={readonly ?? false}
      disabled={disabled ?? false}
      onChange={({ target }) => onChange(target.value === "" ? options.emptyValue : target.value)}
      onBlur={({ target }) => onBlur(id, target.value)}
      onFocus={({ target }) => onFocus(id, target.value)}
    />
  );
}

/** A select for enumerations. Values may be anything, so they are identified by index. */
function OptionsField(props: WidgetProps) {
  const { id, options, value, label, multiple, disabled, readonly, required, rawErrors, onChange } = props;
  const listed = options.enumOptions ?? [];
  const isDisabled = disabled || readonly || false;
  const places = (values: readonly unknown[]): string[] =>
    values.flatMap((each) => {
      const at = listed.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(each));
      return at < 0 ? [] : [`${at}`];
    });
  if (multiple)
    return (
      <CheckboxGroup
        className="checks"
        aria-label={label}
        value={places(Array.isArray(value) ? value : [])}
        isDisabled={isDisabled}
        onChange={(chosen) =>
          onChange(listed.filter((_, at) => chosen.includes(`${at}`)).map((each) => each.value))
        }
      >
        {listed.map((option, at) => (
          <Checkbox key={option.label} className="check" value={`${at}`}>
            <Tick />
            {option.label}
          </Checkbox>
        ))}
      </CheckboxGroup>
    );
  // An optional value can be cleared.
  const none = required || value === undefined ? [] : [{ id: "", label: "(none)" }];
  return (
    <Choice
      id={id}
      label={label}
      options={[...none, ...listed.map((option, at) => ({ id: `${at}`, label: option.label }))]}
      value={places([value])[0] ?? null}
      isDisabled={isDisabled}
      isInvalid={(rawErrors?.length ?? 0) > 0}
      aria-describedby={ariaDescribedByIds(id)}
      onChange={(at) => onChange(at === "" ? undefined : listed[Number(at)]?.value)}
    />
  );
}

function CheckField(props: WidgetProps) {
  const { id, value, label, disabled, readonly, required, onChange } = props;
  return (
    <Checkbox
      className="check"
      id={id}
      aria-describedby={ariaDescribedByIds(id)}
      isSelected={value === true}
      isDisabled={disabled || readonly || false}
      onChange={onChange}
    >
      <Tick />
      <span id={titleId(id)}>
        {label}
        {required && <Required />}
      </span>
    </Checkbox>
  );
}

const Tick = () => (
  <span className="tick" aria-hidden="true">
    ✓
  </span>
);

/** The mark of a required field. */
export const Required = () => (
  <span className="required" title="required">
    {" "}
    *
  </span>
);

/** Our widgets; the rest use our {@link InputField}. */
export const widgets: RegistryWidgetsType = {
  TextWidget: TextField,
  TextareaWidget: LongText,
  SelectWidget: OptionsField,
  RadioWidget: OptionsField,
  CheckboxesWidget: OptionsField,
  CheckboxWidget: CheckField,
};
