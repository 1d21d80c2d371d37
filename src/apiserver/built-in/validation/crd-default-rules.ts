import { serializeValue } from '../../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, fieldErrorText, forbiddenField } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { embeddedTypeErrors, metadataError } from '../../custom/coerce.js';
import { embeddedErrors } from '../../custom/list-type-rules.js';
import { hasUnknownFields } from '../../custom/prune.js';
import { mentionsRules, ruleModule } from '../../custom/rule-module.js';
import { isEmbedded } from '../../custom/structural-schema.js';
import { validateValue } from '../../custom/validate-value.js';
import { embeddedMetadataErrors } from '../../registry/metadata-rules.js';

/**
 * Validates the defaults of a structural schema and those inside of it: each is a value of its schema, with nothing that would be pruned.
 * Source: Kubernetes documentation "CustomResourceDefinitions", "Defaulting"; messages as observed.
 */
export function defaultErrors(schema: JsonObject, path: string): readonly FieldError[] {
  return errorsIn(schema, path, { isRoot: true });
}

/** Validates that the metadata of the object itself has no defaults. Rules are read nevertheless. */
export function metadataDefaultErrors(root: JsonObject, path: string): readonly FieldError[] {
  const { metadata } = structOf(root.properties);
  return isJsonObject(metadata) ? forbiddenDefaults(metadata, `${path}.properties[metadata]`) : [];
}

function forbiddenDefaults(schema: JsonObject, path: string): readonly FieldError[] {
  const { default: value, properties, items } = schema;
  return [
    ...(value === undefined || value === null ? [] : [forbiddenField(`${path}.default`, 'must not be set in top-level metadata')]),
    ...Object.entries(structOf(properties)).flatMap(([name, member]) => forbiddenDefaults(structOf(member), `${path}.properties[${name}]`)),
    ...(isJsonObject(items) ? forbiddenDefaults(items, `${path}.items`) : []),
  ];
}

/** The part of an object that a schema describes. */
interface DefaultScope {
  readonly isRoot?: boolean;
  /** In the metadata of an embedded resource: makes this metadata of a value. */
  readonly metadata?: (value: Json) => Json;
}

function errorsIn(schema: JsonObject, path: string, scope: DefaultScope): readonly FieldError[] {
  const { default: value, properties, items } = schema;
  // The defaults of the values of a map are not validated. Source: observed.
  return [
    ...(value === undefined || value === null ? [] : errorsOf(value, schema, `${path}.default`, scope)),
    ...Object.entries(structOf(properties)).flatMap(([name, member]) =>
      scope.isRoot === true && name === 'metadata' // has no defaults at all: `metadataDefaultErrors`
        ? []
        : errorsIn(structOf(member), `${path}.properties[${name}]`, scopeOfProperty(name, schema, scope)),
    ),
    ...(isJsonObject(items)
      ? errorsIn(
          items,
          `${path}.items`,
          within(scope, (item) => [item]),
        )
      : []),
  ];
}

function scopeOfProperty(name: string, schema: JsonObject, scope: DefaultScope): DefaultScope {
  if (scope.metadata === undefined && name === 'metadata' && isEmbedded(schema)) return { metadata: (value) => value };
  return within(scope, (value) => ({ [name]: value }));
}

function within({ metadata }: DefaultScope, wrap: (value: Json) => Json): DefaultScope {
  return metadata === undefined ? {} : { metadata: (value) => metadata(wrap(value)) };
}

function errorsOf(value: Json, declared: JsonObject, path: string, { metadata, isRoot }: DefaultScope): readonly FieldError[] {
  const schema = isRoot === true ? { ...declared, 'x-kubernetes-embedded-resource': true } : declared;
  const invalid = (detail: string): FieldError => ({ type: 'invalid', field: path, value: serializeValue(value), detail });
  if (metadata !== undefined) {
    const failure = invalidMetadata(metadata(value));
    if (failure !== undefined) return [invalid(`must result in valid metadata: ${failure}`)];
  } else {
    if (hasUnknownFields(value, schema)) return [invalid('must not have unknown fields')];
    const unfit = embeddedTypeErrors(value, schema, '');
    const misfits = unfit.length > 0 ? unfit : embeddedErrors(value, schema, '');
    if (misfits.length > 0) return misfits.map((error) => below(path, error));
  }
  const ofValue = validateValue(value, schema, '');
  if (ofValue.length > 0) return ofValue.map((error) => below(path, error, '.'));
  return mentionsRules(schema) ? ruleErrors(value, schema).map((error) => below(path, error)) : [];
}

/** Returns the errors of metadata as one text; undefined if it is valid. */
function invalidMetadata(metadata: Json): string | undefined {
  const failure = metadataError(metadata);
  if (failure !== undefined) return `metadata: Invalid value: ${serializeValue(metadata)}: ${failure}`;
  const errors = isJsonObject(metadata) ? embeddedMetadataErrors(metadata, 'metadata').map(fieldErrorText) : [];
  return errors.length > 1 ? `[${errors.join(', ')}]` : errors[0];
}

/** Returns an error of a part of a default, or of the default itself. Errors of values have a point before an index, too. Source: observed. */
function below(path: string, error: FieldError, beforeIndex: '' | '.' = ''): FieldError {
  const inner = error.field === '<nil>' ? '' : error.field.replace(/^\./, '');
  const separator = inner === '' ? '' : inner.startsWith('[') ? beforeIndex : '.';
  return { ...error, field: `${path}${separator}${inner}` };
}

/** Evaluates the rules of a schema for its default. */
function ruleErrors(value: Json, schema: JsonObject): readonly FieldError[] {
  const { ruleValidator, validateDefaultByRules } = ruleModule.get();
  const rules = ruleValidator(schema, isEmbedded(schema));
  return rules === undefined ? [] : validateDefaultByRules(rules, value);
}
