import { isKnownFormat } from '../../../schema/string-format.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';

/** Returns warnings about what is new in a CustomResourceDefinition and has no effect: formats that are not validated. Source: observed. */
export function definitionWarnings(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  const before = live === undefined ? new Set() : unknownFormats(live);
  return [...unknownFormats(object)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats({ spec }: JsonObject): ReadonlySet<string> {
  const formats = listOf(structOf(spec).versions).flatMap(({ schema }) => formatsIn(structOf(schema).openAPIV3Schema));
  return new Set(formats);
}

function formatsIn(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { type = '', format, properties, items, additionalProperties, not } = schema;
  const own = typeof format === 'string' && format !== '' && !isKnownFormat(format, String(type)) ? [format] : [];
  const alternatives = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => listOf(schema[name]));
  return [
    ...own,
    ...[...Object.values(structOf(properties)), items, additionalProperties, not, ...alternatives].flatMap((each) => formatsIn(each)),
  ];
}
