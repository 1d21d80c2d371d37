import { goType } from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type FieldError, invalidValue, shown } from '../api/field-error.js';
import { isEmbedded, itemsOf, memberSchema, type Structural } from './structural.js';

/** What keeps an object, or a resource embedded in it, from being one: metadata that ObjectMeta cannot hold. */
export function coercionProblem(object: JsonObject, schema: Structural): string | undefined {
  const own = metadataProblem(object.metadata);
  if (own !== undefined) return own;
  const [first] = embeddedTypeErrors(object, schema, '');
  return first && `${first.field}: Invalid value: ${first.value}: ${first.detail}`;
}

/** Embedded resources whose apiVersion, kind or metadata have another type than those of an object. */
export function embeddedTypeErrors(value: Json, schema: Structural, path: string): readonly FieldError[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items === undefined
      ? []
      : (value as readonly Json[]).flatMap((item, index) => embeddedTypeErrors(item, items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = isEmbedded(schema) ? ownErrors(value, path) : [];
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const child = memberSchema(schema, name);
    return child === undefined ? [] : embeddedTypeErrors(member as Json, child, path === '' ? name : `${path}.${name}`);
  });
  return [...own, ...inner];
}

function ownErrors(value: JsonObject, path: string): FieldError[] {
  const names = ['apiVersion', 'kind'].filter((name) => value[name] !== undefined && typeof value[name] !== 'string');
  const errors = names.map((name) => invalidValue(`${path}.${name}`, value[name] as Json, 'must be a string'));
  const problem = metadataProblem(value.metadata);
  if (problem === undefined) return errors;
  return [...errors, { type: 'invalid', field: `${path}.metadata`, value: shown(value.metadata), detail: problem }];
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function metadataProblem(metadata: Json | undefined): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (!isJsonObject(metadata)) return `json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`;
  const unfit = (found: Json, name: string, type: string) =>
    `json: cannot unmarshal ${goType(found)} into Go struct field ObjectMeta.${name} of type ${type}`;
  for (const name of ['labels', 'annotations']) {
    const map = metadata[name];
    if (map === undefined || map === null) continue;
    if (!isJsonObject(map)) return unfit(map, name, 'map[string]string');
    const wrong = Object.values(map).find((text) => text !== null && typeof text !== 'string');
    if (wrong !== undefined) return unfit(wrong, name, 'string');
  }
  for (const [name, type] of [
    ['finalizers', '[]string'],
    ['ownerReferences', '[]v1.OwnerReference'],
    ['managedFields', '[]v1.ManagedFieldsEntry'],
  ] as const) {
    const list = metadata[name];
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) return unfit(list, name, type);
    const wrong = (list as readonly Json[]).find((item) => item !== null && !isJsonObject(item));
    if (name === 'ownerReferences' && wrong !== undefined) return unfit(wrong, name, 'v1.OwnerReference');
  }
  return undefined;
}
