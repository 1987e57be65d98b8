/**
 * Templates of form fields. Titles and descriptions come from the server: they are text.
 *
 * @module
 */

import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  buttonId,
  canExpand,
  type DescriptionFieldProps,
  descriptionId,
  errorId,
  type FieldErrorProps,
  type FieldTemplateProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type RJSFSchema,
  type UnsupportedFieldProps,
} from "@rjsf/utils";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { cloneElement, isValidElement, type ReactNode } from "react";
import { Button, Input } from "react-aria-components";
import { IconButton } from "../icon-button.js";
import { InputField, Required } from "./widgets.js";

const Description = ({ id, description }: Partial<Pick<DescriptionFieldProps, "id" | "description">>) =>
  description ? (
    <p id={id} className="soft small description">
      {description}
    </p>
  ) : null;

function Errors({ errors = [], fieldPathId }: FieldErrorProps) {
  if (errors.length === 0) return null;
  return (
    <div id={errorId(fieldPathId)} className="field-errors small">
      {errors.map((error) => (
        <p key={`${error}`}>{error}</p>
      ))}
    </div>
  );
}

function Field(props: FieldTemplateProps) {
  const { id, label, children, errors, description, hidden, required, displayLabel, uiSchema, schema } =
    props;
  // A field with only one allowed value is hidden.
  const isSettled = schema.const !== undefined && props.formData === schema.const;
  if (hidden || isSettled) return <div hidden>{children}</div>;
  const isCheck =
    schema.type === "boolean" && !schema.enum && !schema.oneOf && uiSchema?.["ui:widget"] === undefined;
  return (
    <Additional {...props}>
      {displayLabel && !isCheck && (
        <label htmlFor={id} id={`${id}__label`}>
          {label}
          {required && <Required />}
        </label>
      )}
      {children}
      {displayLabel && description}
      {errors}
    </Additional>
  );
}

/** A property that the schema does not name: it can be named and removed. */
function Additional(props: Omit<FieldTemplateProps, "children"> & { children: ReactNode }) {
  const { id, label, schema, children, onKeyRenameBlur, onRemoveProperty, readonly, disabled } = props;
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <div className="field">{children}</div>;
  return (
    <div className="field additional">
      <Input
        key={label}
        className="input"
        aria-label="Name of the property"
        defaultValue={label}
        readOnly={readonly ?? false}
        onBlur={onKeyRenameBlur}
      />
      <div className="field">{children}</div>
      <IconButton
        id={buttonId(id, "remove")}
        icon={X}
        name={`Remove ${label}`}
        isDisabled={disabled ?? false}
        onPress={() => onRemoveProperty()}
      />
    </div>
  );
}

function Properties(props: ObjectFieldTemplateProps) {
  const { title, description, properties, fieldPathId, required, schema, uiSchema, formData } = props;
  const { onAddProperty, optionalDataControl, disabled, readonly } = props;
  const isUnion =
    (schema.oneOf ?? schema.anyOf) !== undefined && !schema.properties && properties.length === 0;
  if (isUnion) return null;
  const isRoot = fieldPathId.path.length === 0;
  return (
    <fieldset id={fieldPathId.$id} className={isRoot ? "fields" : "fields nested"}>
      {/* The tool's own title and description stand above the form. */}
      {!isRoot && title && (
        <legend>
          {title}
          {required && <Required />}
          {optionalDataControl}
        </legend>
      )}
      {!isRoot && <Description id={descriptionId(fieldPathId)} description={description} />}
      {properties.map((property) => property.content)}
      {canExpand(schema, uiSchema, formData) && (
        <AddButton
          id={buttonId(fieldPathId, "add")}
          text="Add a property"
          isDisabled={disabled || readonly}
          onPress={onAddProperty}
        />
      )}
    </fieldset>
  );
}

function Items(props: ArrayFieldTemplateProps) {
  const { title, schema, items, canAdd, onAddClick, fieldPathId, required, disabled, readonly } = props;
  return (
    <fieldset id={fieldPathId.$id} className="fields nested">
      <legend>
        {title}
        {required && <Required />}
        {props.optionalDataControl}
      </legend>
      <Description id={descriptionId(fieldPathId)} description={schema.description} />
      {items}
      {canAdd && (
        <AddButton
          id={buttonId(fieldPathId, "add")}
          text={`Add to ${title}`}
          isDisabled={disabled || readonly}
          onPress={onAddClick}
        />
      )}
    </fieldset>
  );
}

function Item({ children, buttonsProps, index, hasToolbar }: ArrayFieldItemTemplateProps) {
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  const isDisabled = buttonsProps.disabled ?? false;
  const name = `item ${index + 1}`;
  return (
    <div className="item">
      <div className="item-body">{children}</div>
      {hasToolbar && (
        <div className="item-buttons">
          {hasMoveUp && (
            <IconButton
              icon={ArrowUp}
              name={`Move ${name} up`}
              isDisabled={isDisabled}
              onPress={() => onMoveUpItem()}
            />
          )}
          {hasMoveDown && (
            <IconButton
              icon={ArrowDown}
              name={`Move ${name} down`}
              isDisabled={isDisabled}
              onPress={() => onMoveDownItem()}
            />
          )}
          {hasRemove && (
            <IconButton
              icon={X}
              name={`Remove ${name}`}
              isDisabled={isDisabled}
              onPress={() => onRemoveItem()}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface FormButtonProps {
  text: string;
  id?: string | undefined;
  isDisabled?: boolean | undefined;
  onPress: () => void;
}

const AddButton = ({ text, isDisabled, onPress, id }: FormButtonProps) => (
  <Button
    {...(id && { id })}
    className="button add"
    isDisabled={isDisabled ?? false}
    onPress={() => onPress()}
  >
    <Plus />
    {text}
  </Button>
);

/**
 * A choice of kinds, and the fields of the selected kind. Kinds without a title get one from their contents.
 */
function Union({ selector, optionSchemaField, schema }: MultiSchemaFieldTemplateProps) {
  const kinds = (schema.oneOf ?? schema.anyOf ?? []) as RJSFSchema[];
  const named =
    isValidElement<{ options: { enumOptions: { value: number; label: string }[] } }>(selector) &&
    selector.props.options?.enumOptions
      ? cloneElement(selector, {
          options: {
            ...selector.props.options,
            enumOptions: selector.props.options.enumOptions.map(({ value, label }) => ({
              value,
              label: kindName(kinds[value]) ?? label,
            })),
          },
        })
      : selector;
  return (
    <div className="union">
      {named}
      {optionSchemaField}
    </div>
  );
}

function kindName(schema: RJSFSchema | undefined): string | undefined {
  if (!schema || schema.title) return schema?.title;
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  // Objects are usually distinguished by a constant property.
  for (const property of Object.values(schema.properties ?? {}))
    if (typeof property === "object" && property.const !== undefined) return String(property.const);
  return schema.type === undefined ? undefined : [schema.type].flat().join(" or ");
}

const Unsupported = ({ reason }: UnsupportedFieldProps) => (
  <p className="problem small">
    The form has no field for this{reason ? `: ${reason}` : ""}. Use the JSON tab.
  </p>
);

/** Our templates; all others are hidden, or the defaults of `@rjsf`. */
export const templates = {
  BaseInputTemplate: InputField,
  FieldTemplate: Field,
  FieldErrorTemplate: Errors,
  DescriptionFieldTemplate: Description,
  ObjectFieldTemplate: Properties,
  ArrayFieldTemplate: Items,
  ArrayFieldItemTemplate: Item,
  MultiSchemaFieldTemplate: Union,
  UnsupportedFieldTemplate: Unsupported,
};
