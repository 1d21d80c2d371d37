import { serializeValue } from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { parseTime } from '../api/time.js';
import { isEmbedded, itemsOf, memberSchema, type StructuralSchema } from './structural-schema.js';

/** Returns the error of an object, or of a resource embedded in it, whose metadata ObjectMeta cannot hold; else undefined. */
export function coercionError(object: JsonObject, schema: StructuralSchema): string | undefined {
  const own = metadataError(object.metadata);
  if (own !== undefined) return own;
  const [first] = embeddedTypeErrors(object, schema, '');
  return first && `${first.field}: Invalid value: ${first.value}: ${first.detail}`;
}

/** Returns errors for embedded resources whose apiVersion, kind or metadata have the wrong type. */
export function embeddedTypeErrors(value: Json, schema: StructuralSchema, path: string): readonly FieldError[] {
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
  const failure = metadataError(value.metadata);
  if (failure === undefined) return errors;
  return [...errors, { type: 'invalid', field: `${path}.metadata`, value: serializeValue(value.metadata), detail: failure }];
}

/** The members of a Go struct, with their types as messages name them. */
interface GoStruct {
  readonly name: string;
  readonly members: Readonly<Record<string, string | readonly [list: string, item: string | GoStruct]>>;
}

const ownerReference: GoStruct = {
  name: 'OwnerReference',
  members: { apiVersion: 'string', kind: 'string', name: 'string', uid: 'types.UID', controller: 'bool', blockOwnerDeletion: 'bool' },
};
const managedFieldsEntry: GoStruct = {
  name: 'ManagedFieldsEntry',
  members: {
    manager: 'string',
    operation: 'v1.ManagedFieldsOperationType',
    apiVersion: 'string',
    time: 'time',
    fieldsType: 'string',
    subresource: 'string',
  },
};
const objectMeta: GoStruct = {
  name: 'ObjectMeta',
  members: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'types.UID',
    resourceVersion: 'string',
    generation: 'int64',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'int64',
    labels: 'map[string]string',
    annotations: 'map[string]string',
    ownerReferences: ['[]v1.OwnerReference', ownerReference],
    finalizers: ['[]string', 'string'],
    managedFields: ['[]v1.ManagedFieldsEntry', managedFieldsEntry],
  },
};

/** Returns the error of metadata that ObjectMeta cannot hold; else undefined. */
export function metadataError(metadata: Json | undefined): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (!isJsonObject(metadata)) return `json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`;
  return structError(metadata, objectMeta, '');
}

function structError(value: JsonObject, { name: struct, members }: GoStruct, path: string): string | undefined {
  const unfit = (found: Json, field: string, type: string) =>
    `json: cannot unmarshal ${goKind(found, type)} into Go struct field ${struct}.${path}${field} of type ${type}`;
  // The server decodes an object whose members are sorted, and names the first that does not fit.
  for (const name of Object.keys(members).sort()) {
    const type = members[name] as GoStruct['members'][string];
    const member = value[name];
    if (member === undefined || member === null) continue;
    if (type === 'time' && typeof member === 'string') {
      const time = parseTime(member, name);
      if ('issue' in time) return time.issue;
    } else if (typeof type === 'string') {
      const wrong = typeMismatch(member, type);
      if (wrong !== undefined) return unfit(wrong, name, wrong === member && type !== 'time' ? type : 'string');
    }
    if (typeof type === 'string') continue;
    const [list, item] = type;
    if (!Array.isArray(member)) return unfit(member, name, list);
    for (const each of member as readonly Json[]) {
      if (each === null) continue;
      const isFit = typeof item === 'string' ? typeMismatch(each, item) === undefined : isJsonObject(each);
      if (!isFit) return unfit(each, name, typeof item === 'string' ? item : `v1.${item.name}`);
      const inner = typeof item === 'string' ? undefined : structError(each as JsonObject, item, `${path}${name}.`);
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}

/** Returns the value, or the value in a map of strings, that does not fit a Go type; undefined if all fit. */
function typeMismatch(value: Json, type: string): Json | undefined {
  if (type === 'bool') return typeof value === 'boolean' ? undefined : value;
  if (type === 'int64') return Number.isInteger(value) || typeof value === 'bigint' ? undefined : value;
  if (type !== 'map[string]string') return typeof value === 'string' ? undefined : value;
  return isJsonObject(value) ? Object.values(value).find((text) => text !== null && typeof text !== 'string') : value;
}

/** Names what was found; a number with its value where only its fraction does not fit. */
function goKind(value: Json, wanted?: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return wanted === 'int64' ? `number ${value}` : 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
