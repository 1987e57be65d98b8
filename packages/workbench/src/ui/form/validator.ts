/**
 * The form's validator. The usual validators of `@rjsf` generate code from schemas, which the page's policy
 * forbids.
 *
 * @module
 */
import type { Validator } from "@cfworker/json-schema";
import {
  createErrorHandler,
  ErrorSchemaBuilder,
  ID_KEY,
  type RJSFSchema,
  type RJSFValidationError,
  ROOT_SCHEMA_PREFIX,
  toErrorSchema,
  unwrapErrorHandler,
  type ValidatorType,
  validationDataMerge,
  withIdRefPrefix,
} from "@rjsf/utils";
import { checkValue, jsonForm } from "./check-value.js";
import { type SchemaError, schemaCopy, validatorOf } from "./schema-errors.js";

const parts = new WeakMap<object, WeakMap<object, Validator>>();

/** A validator of a subschema, whose references resolve in the whole schema. */
function partValidator(part: RJSFSchema, root: RJSFSchema): Validator {
  let known = parts.get(root);
  if (!known) parts.set(root, (known = new WeakMap()));
  let validator = known.get(part);
  if (!validator) {
    const prefixed = withIdRefPrefix(part) as RJSFSchema;
    const { [ID_KEY]: _own, ...rest } = prefixed;
    validator = validatorOf(rest);
    validator.addSchema(schemaCopy(root), ROOT_SCHEMA_PREFIX);
    known.set(part, validator);
  }
  return validator;
}

const toRjsf = ({ path, keyword, message }: SchemaError): RJSFValidationError => ({
  name: keyword,
  message,
  property: `.${path.join(".")}`,
  stack: `${path.join(".")} ${message}`,
});

/** The validator of our forms. */
export const validator: ValidatorType = {
  validateFormData(formData, schema, customValidate, transformErrors, uiSchema) {
    const found = checkValue(schema, formData);
    // By lists of names: in a dotted string, a name with a dot would be two.
    const builder = new ErrorSchemaBuilder();
    for (const { path, message } of found) builder.addErrors(message, [...path]);
    const listed = found.map(toRjsf);
    const errors = transformErrors?.(listed, uiSchema) ?? listed;
    const errorSchema = errors === listed ? builder.ErrorSchema : toErrorSchema(errors);
    const data = { errors, errorSchema };
    if (!customValidate) return data;
    const handler = customValidate(formData, createErrorHandler(formData), uiSchema, data.errorSchema);
    return validationDataMerge(data, unwrapErrorHandler(handler));
  },
  isValid(schema, formData, rootSchema) {
    // An absent value matches nothing, not even a schema for `null`.
    if (formData === undefined) return false;
    try {
      return partValidator(schema, rootSchema).validate(jsonForm(formData)).valid;
    } catch {
      // An invalid schema matches nothing.
      return false;
    }
  },
  rawValidation<Result>(schema: RJSFSchema, formData: unknown) {
    return { errors: checkValue(schema, formData) as Result[] };
  },
};
