import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { duplicate, type FieldError, invalidValue, required, shown } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { label1035Texts } from '../../api/name-rules.js';
import { findField } from '../../custom/rule-field-path.js';
import type { StructuralSchema } from '../../custom/structural-schema.js';

/** A part of a version, and where older API versions had it for all versions together. */
const sharedPlaces = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const;
type Part = keyof typeof sharedPlaces;

/** Returns true for a part that all versions have alike: errors name the place of older API versions then. Source: observed. */
export function isShared(versions: readonly JsonObject[], part: Part): boolean {
  const values = versions.map((version) => emptyAsNull(version[part]));
  return values.every((value) => jsonEqual(value, values[0] as Json));
}

function emptyAsNull(value: Json | undefined): Json {
  return value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;
}

/**
 * Validates the parts of versions other than their schemas. Source: Kubernetes API reference, CustomResourceDefinitionVersion; messages as
 * observed.
 */
export function crdPartErrors(versions: readonly JsonObject[], isNew: boolean): readonly FieldError[] {
  const own = (part: Part, version: JsonObject) => (isShared(versions, part) ? undefined : version[part]);
  const common = (part: Part) => (isShared(versions, part) ? versions[0]?.[part] : undefined);
  const [{ name: first = '' } = {}] = versions;
  // An older API version had the name of the first one in a place of its own. It stays as it was if all versions are removed.
  const hasFirst = isNew || versions.length > 0;
  return [
    ...(hasFirst ? label1035Texts(String(first)).map((text) => invalidValue('spec.version', first, text)) : []),
    ...versions.flatMap((version, index) => {
      const path = `spec.versions[${index}]`;
      return [
        ...label1035Texts(String(version.name)).map((text) => invalidValue(`${path}.name`, version.name, text)),
        ...deprecationErrors(version, `${path}.deprecationWarning`),
        ...subresourceErrors(own('subresources', version), `${path}.subresources`),
        ...columnErrors(own('additionalPrinterColumns', version), `${path}.additionalPrinterColumns`),
        ...selectableErrors(own('selectableFields', version), own('schema', version), `${path}.selectableFields`, unschemed.version),
      ];
    }),
    ...subresourceErrors(common('subresources'), 'spec.subresources'),
    ...columnErrors(common('additionalPrinterColumns'), 'spec.additionalPrinterColumns'),
    ...selectableErrors(common('selectableFields'), common('schema'), 'spec.selectableFields', unschemed.shared),
  ];
}

function deprecationErrors({ deprecated, deprecationWarning: warning }: JsonObject, field: string): readonly FieldError[] {
  if (typeof warning !== 'string') return [];
  // It is shown as JSON.
  const wrong = (detail: string) => ({ ...invalidValue(field, null, detail), value: shown([warning]).slice(1, -1) });
  if (deprecated !== true) return [wrong('can only be set for deprecated versions')];
  const at = [...warning].findIndex((each) => each !== ' ' && /[\p{C}\p{Z}]/u.test(each));
  return [
    ...(Buffer.byteLength(warning) > 256 ? [wrong('must be <= 256 characters long')] : []),
    ...(warning === '' ? [wrong('must not be an empty string')] : []),
    ...(at < 0
      ? []
      : [wrong(`must only contain printable UTF-8 characters; non-printable character found at index ${byteAt(warning, at)}`)]),
  ];
}

function byteAt(text: string, character: number): number {
  return Buffer.byteLength([...text].slice(0, character).join(''));
}

function subresourceErrors(subresources: Json | undefined, path: string): readonly FieldError[] {
  const { scale } = structOf(subresources);
  if (!isJsonObject(scale)) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const at = (name: string) => `${path}.scale.${name}`;
  const selector = labelSelectorPath || '.status.selector';
  return [
    ...scalePathErrors(specReplicasPath, at('specReplicasPath'), ['.spec']),
    ...scalePathErrors(statusReplicasPath, at('statusReplicasPath'), ['.status']),
    ...scalePathErrors(selector, at('labelSelectorPath'), ['.spec', '.status']),
  ];
}

function scalePathErrors(path: Json | undefined, field: string, parents: readonly string[]): readonly FieldError[] {
  if (typeof path !== 'string' || path === '') return [required(field)];
  if (!path.startsWith('.')) return [invalidValue(field, path, startsWithDot)];
  const places = parents.length === 1 ? parents[0] : `either ${parents.join(' or ')}`;
  return parents.some((parent) => path.startsWith(`${parent}.`))
    ? []
    : [invalidValue(field, path, `should be a json path under ${places}`)];
}

const startsWithDot = 'must be a simple json path starting with .';
const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnErrors(columns: Json | undefined, path: string): readonly FieldError[] {
  return listOf(columns).flatMap(({ name, type, format, jsonPath }, index) => {
    const at = `${path}[${index}]`;
    const oneOf = (list: readonly string[]) => `must be one of ${list.join(',')}`;
    return [
      ...(name ? [] : [required(`${at}.name`)]),
      ...(type ? [] : [required(`${at}.type`, oneOf(columnTypes))]),
      ...(type && !columnTypes.includes(String(type)) ? [invalidValue(`${at}.type`, type, oneOf(columnTypes))] : []),
      ...(format && !columnFormats.includes(String(format)) ? [invalidValue(`${at}.format`, format, oneOf(columnFormats))] : []),
      ...(jsonPath ? [] : [required(`${at}.JSONPath`)]),
      ...(jsonPath && !String(jsonPath).startsWith('.') ? [invalidValue(`${at}.JSONPath`, jsonPath, startsWithDot)] : []),
    ];
  });
}

/** Details of selectable fields whose schema is at another place. Source: observed. */
const unschemed = {
  version: 'may only be set when `version.schema.openAPIV3Schema` is not included',
  shared: 'may only be set when validations.schema is included',
};
const maxSelectable = 8;
const selectableTypes = ['string', 'boolean', 'integer'];

/** Source: Kubernetes documentation "Selectable fields for custom resources". */
function selectableErrors(fields: Json | undefined, schema: Json | undefined, path: string, missing: string): readonly FieldError[] {
  const list = listOf(fields);
  if (list.length === 0) return [];
  const { openAPIV3Schema } = structOf(schema);
  if (!isJsonObject(openAPIV3Schema)) return [invalidValue(path, '', missing)];
  const known = new Set<string>();
  const errors = list.flatMap(({ jsonPath }, index) =>
    selectableFieldErrors(jsonPath, openAPIV3Schema, `${path}[${index}].jsonPath`, known),
  );
  const tooMany = { type: 'tooMany', field: path, value: String(known.size), detail: `must have at most ${maxSelectable} items` } as const;
  return known.size > maxSelectable ? [...errors, tooMany] : errors;
}

function selectableFieldErrors(text: Json | undefined, root: StructuralSchema, field: string, known: Set<string>): readonly FieldError[] {
  if (typeof text !== 'string' || text === '') return [required(field)];
  const found = findField(text, root, { brackets: false });
  if (typeof found === 'string') return [invalidValue(field, text, `is an invalid path: ${found}`)];
  const { path, schema } = found;
  const isTyped = selectableTypes.includes(String(schema?.type));
  const isRepeated = known.has(path);
  known.add(path);
  const typeText = `must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`;
  return [
    ...(/^\.metadata\b/.test(path) ? [invalidValue(field, text, 'must not point to fields in metadata')] : []),
    ...(isTyped ? [] : [invalidValue(field, text, typeText)]),
    ...(isRepeated ? [duplicate(field, text)] : []),
  ];
}
