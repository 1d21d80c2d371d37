import type { Field, ListType, MapType, RootType, Schema, Type, TypeRef } from '../../schema/index.js';
import { deducedName, intOrStringFormat, isAnyJson, resolve, untypedName } from '../../schema/index.js';
import type { JsonObject } from '../../util/json.js';
import { goTypeAt } from '../built-in/convert/go-structs.js';
import { isReplaced, isRetaining, typeNameOf } from '../patch/patch-strategies.js';
import { listStrategyAt } from '../patch/strategic-merge.js';
import type { Resource } from '../registry/resource.js';
import type { Schemas } from './open-api-messages.js';
import { customSchemaName, schemaName } from './schema-name.js';
import { specialSchemas } from './special-schemas.js';
import { withDescriptionsAndRules } from './with-descriptions-and-rules.js';

/** Adds the schema of a kind, and those it contains, to a document, and returns its name. */
export function describeKind(root: RootType, resource: Resource, version: string, schemas: Schemas): string {
  const { group, kind } = resource;
  const pending: string[] = [];
  const refer = (name: string): JsonObject => {
    if (schemas[schemaName(name)] === undefined) pending.push(name);
    return { $ref: `#/components/schemas/${schemaName(name)}` };
  };
  const type = resolve(root.schema, root.type);
  const isBuiltIn = !resource.strategy.custom && 'name' in root.type && root.type.name.includes('/');
  const own = isBuiltIn ? schemaName(root.type.name) : customSchemaName(group, version, kind);
  const published = withDescriptionsAndRules(node(root.schema, type, refer, root.type), resource.versions.get(version)?.declaredSchema);
  const selectable = resource.strategy.custom ? selectableFieldsOf(resource, version) : [];
  schemas[own] = {
    ...published,
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(selectable.length > 0 ? { 'x-kubernetes-selectable-fields': selectable } : {}),
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (schemas[schemaName(next)] !== undefined) continue;
    schemas[schemaName(next)] = specialSchemas[next] ?? {};
    if (specialSchemas[next] === undefined)
      schemas[schemaName(next)] = node(root.schema, resolve(root.schema, { name: next }), refer, { name: next });
  }
  return own;
}

/** Returns the fields that a definition lets selectors name, as its schema publishes them. Source: observed. */
function selectableFieldsOf(resource: Resource, version: string): readonly JsonObject[] {
  const names = Object.keys(resource.versions.get(version)?.selectable?.absent ?? {});
  return names.filter((name) => name !== 'metadata.name' && name !== 'metadata.namespace').map((fieldPath) => ({ fieldPath }));
}

type Refer = (name: string) => JsonObject;

function reference(schema: Schema, ref: TypeRef, refer: Refer): JsonObject {
  if ('inline' in ref) return node(schema, ref.inline, refer);
  const type = resolve(schema, ref);
  if (type.map === undefined || type.list !== undefined || type.scalar !== undefined) return node(schema, type, refer);
  return ref.mapRelation === undefined ? refer(ref.name) : { allOf: [refer(ref.name)], 'x-kubernetes-map-type': ref.mapRelation };
}

function node(schema: Schema, type: Type, refer: Refer, owner?: TypeRef): JsonObject {
  const { scalar, list, map, valueValidation } = type;
  const parts = [scalar, list, map].filter((part) => part !== undefined).length;
  if (parts !== 1) return nodeOfAny(schema, type, refer);
  if (scalar !== undefined) {
    const type = { numeric: scalar.integer ? 'integer' : 'number', string: 'string', boolean: 'boolean', untyped: 'string' }[scalar.kind];
    return { type, ...(scalar.format ? { format: scalar.format } : {}), ...(scalar.enum ? { enum: scalar.enum } : {}), ...valueValidation };
  }
  if (list !== undefined) {
    return {
      type: 'array',
      items: reference(schema, list.element, refer),
      'x-kubernetes-list-type': 'atomic',
      ...listRelation(list),
      ...valueValidation,
    };
  }
  const { fields, element } = map as MapType;
  const properties = [...fields].map(([name, field]) => [
    name,
    { ...fieldNode(schema, field, refer, specialAt(owner, name)), ...patchStrategy(schema, owner, name) },
  ]);
  return {
    type: 'object',
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) as JsonObject } : {}),
    ...(element === undefined ? {} : { additionalProperties: reference(schema, element, refer) }),
    ...mapRules(map as MapType),
    ...valueValidation,
  };
}

/** Returns a node without a type, which describes the lists and the maps among its values. */
function nodeOfAny(schema: Schema, type: Type, refer: Refer): JsonObject {
  const { scalar, list, map, valueValidation } = type;
  const any = { [scalar?.format === intOrStringFormat ? 'x-kubernetes-int-or-string' : 'x-kubernetes-preserve-unknown-fields']: true };
  if (isAnyJson(type) || map === undefined || list === undefined) return { ...any, ...valueValidation };
  const fields = [...map.fields].map(([name, field]) => [name, fieldNode(schema, field, refer)]);
  return {
    ...any,
    ...(fields.length > 0 ? { properties: Object.fromEntries(fields) as JsonObject } : {}),
    ...(map.element === undefined || isPredefined(map.element) ? {} : { additionalProperties: reference(schema, map.element, refer) }),
    ...mapRules(map),
    ...(isPredefined(list.element) ? {} : { items: reference(schema, list.element, refer) }),
    ...listRelation(list),
    ...valueValidation,
  };
}

function isPredefined(ref: TypeRef): boolean {
  return 'name' in ref && (ref.name === deducedName || ref.name === untypedName);
}

function mapRules({ required, relation }: MapType): JsonObject {
  return {
    ...(required.length > 0 ? { required } : {}),
    ...(relation === 'atomic' ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

function listRelation({ relation, keys }: ListType): JsonObject {
  if (relation === 'atomic') return {};
  return keys.length > 0 ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys } : { 'x-kubernetes-list-type': 'set' };
}

/**
 * Returns the strategy of a strategic merge patch for a member of a built-in type, from which clients compute their patches.
 * Source: Kubernetes documentation "Update API Objects in Place Using kubectl patch".
 */
function patchStrategy(schema: Schema, owner: TypeRef | undefined, name: string): JsonObject {
  if (owner === undefined || !('name' in owner) || !owner.name.includes('/')) return {};
  const type = typeNameOf(owner);
  const { merges, key } = listStrategyAt(schema, owner, name);
  const isReplacedMap = !merges && isReplaced(type, name) && name === 'selector';
  const strategies = [merges ? 'merge' : isReplacedMap ? 'replace' : '', isRetaining(type, name) ? 'retainKeys' : ''];
  const strategy = strategies.filter((each) => each !== '').join(',');
  return {
    ...(key === undefined ? {} : { 'x-kubernetes-patch-merge-key': key }),
    ...(strategy === '' ? {} : { 'x-kubernetes-patch-strategy': strategy }),
  };
}

/** Returns the name of the special type of a member of a built-in type, or of its items or values. */
function specialAt(owner: TypeRef | undefined, name: string): string | undefined {
  if (owner === undefined || !('name' in owner)) return undefined;
  const type = goTypeAt(owner.name.replace(/StatusFields$/, 'Status'), name);
  return type !== undefined && Object.hasOwn(specialSchemas, type) ? type : undefined;
}

function fieldNode(schema: Schema, field: Field, refer: Refer, special?: string): JsonObject {
  const inner = special === undefined ? reference(schema, field.type, refer) : specialNode(schema, field.type, refer, special);
  const extra = { ...(field.default === undefined ? {} : { default: field.default }), ...(field.nullable ? { nullable: true } : {}) };
  if (Object.keys(extra).length === 0) return inner;
  return inner.$ref === undefined ? { ...inner, ...extra } : { allOf: [inner], ...extra };
}

/** Returns a node with a reference in the place of its special type, its items or its values. */
function specialNode(schema: Schema, ref: TypeRef, refer: Refer, special: string): JsonObject {
  const { list, map } = resolve(schema, ref);
  const isMap = map?.element !== undefined && !isPredefined(map.element);
  if (list === undefined && !isMap) return refer(special);
  if (list !== undefined && map !== undefined) return refer(special);
  return {
    ...reference(schema, ref, refer),
    ...(list === undefined ? { additionalProperties: refer(special) } : { items: refer(special) }),
  };
}
