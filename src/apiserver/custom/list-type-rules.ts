import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { duplicate, type FieldError, invalidValue, required } from '../api/field-error.js';
import { label1035Texts } from '../api/name-rules.js';
import { embeddedMetadataErrors } from '../registry/metadata-rules.js';
import { metadataError } from './coerce.js';
import { additionalOf, isEmbedded, itemsOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

/** Returns errors for duplicate items of a set or map list, and for items of a map list that cannot have keys. */
export function duplicateErrors(value: Json, schema: StructuralSchema, path: string): readonly FieldError[] {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const element = itemsOf(schema);
    const inner = element === undefined ? [] : items.flatMap((item, index) => duplicateErrors(item, element, `${path}[${index}]`));
    const identity = itemIdentity(schema);
    if (identity === undefined) return inner;
    const misfit = schema['x-kubernetes-list-type'] === 'map' ? items.findIndex((item) => item !== null && !isJsonObject(item)) : -1;
    // Only the first item that cannot have keys is reported.
    if (misfit >= 0)
      return [invalidValue(`${path}[${misfit}]`, items[misfit], 'must be an object for an array of list-type map'), ...inner];
    const keys = items.map(identity);
    // Report each duplicate once.
    const counts = new Map<string, number>();
    const repeated = keys.flatMap((key, index) => {
      const id = canonicalJson(key);
      const before = counts.get(id) ?? 0;
      counts.set(id, before + 1);
      return before === 1 ? [duplicate(`${path}[${index}]`, key)] : [];
    });
    return [...repeated, ...inner];
  }
  if (!isJsonObject(value)) return [];
  const properties = propertiesOf(schema);
  return Object.entries(value).flatMap(([name, member]) => {
    const additional = additionalOf(schema);
    const declared = Object.hasOwn(properties, name);
    const child = declared ? properties[name] : additional === true ? undefined : additional;
    const inner = !declared ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    return child === undefined ? [] : duplicateErrors(member as Json, child, inner);
  });
}

/** Returns a text that is the same for equal values, whatever the order of their members. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return stringifyExactJson(value);
  const members = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

function itemIdentity(schema: StructuralSchema): ((item: Json) => Json) | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return (item) => item;
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return undefined;
  return (item) => {
    const members = isJsonObject(item)
      ? (keys as string[])
          .toSorted()
          .filter((key) => item[key] !== undefined)
          .map((key) => [key, item[key]] as const)
      : [];
    return Object.fromEntries(members) as JsonObject;
  };
}

/** Validates the apiVersion, the kind and the metadata of embedded resources. Source: Kubernetes API reference, JSONSchemaProps; observed. */
export function embeddedErrors(value: Json, schema: StructuralSchema, path: string): readonly FieldError[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items === undefined ? [] : (value as Json[]).flatMap((item, index) => embeddedErrors(item, items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = isEmbedded(schema) ? ownErrors(value, path) : [];
  const properties = propertiesOf(schema);
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const additional = additionalOf(schema);
    const child = Object.hasOwn(properties, name) ? properties[name] : additional === true ? undefined : additional;
    return child === undefined ? [] : embeddedErrors(member as Json, child, path === '' ? name : `${path}.${name}`);
  });
  return [...own, ...inner];
}

function ownErrors(value: JsonObject, path: string): readonly FieldError[] {
  const { apiVersion, kind, metadata } = value;
  const isVersion = typeof apiVersion !== 'string' || apiVersion.split('/').length < 3;
  const kindTexts = typeof kind === 'string' && kind !== '' ? label1035Texts(kind.toLowerCase()) : [];
  const kindDetail = `may have mixed case, but should otherwise match: ${kindTexts.join(',')}`;
  return [
    ...missing(`${path}.apiVersion`, apiVersion),
    ...missing(`${path}.kind`, kind),
    ...(isVersion ? [] : [invalidValue(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]),
    ...(kindTexts.length === 0 ? [] : [invalidValue(`${path}.kind`, kind, kindDetail)]),
    // Metadata that ObjectMeta cannot hold have one error, of their type.
    ...(isJsonObject(metadata) && metadataError(metadata) === undefined ? embeddedMetadataErrors(metadata, `${path}.metadata`) : []),
  ];
}

function missing(path: string, value: Json | undefined): readonly FieldError[] {
  if (value === undefined) return [required(path)];
  return value === '' ? [invalidValue(path, '', 'must not be empty')] : [];
}
