import type { Field, RootType, Schema, Type, TypeRef } from '../../schema/index.js';
import { resolve } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { isReplaced, isRetaining, typeNameOf } from '../patch/patch-strategies.js';
import { listStrategyAt } from '../patch/strategic-merge.js';
import { apiVersionOf, type Resource } from '../registry/resource.js';
import { withDescriptions } from './with-descriptions.js';

/** Returns the paths of all groups and versions, such as `apis/apps/v1`. */
export function openApiPaths(resources: readonly Resource[]): readonly string[] {
  return [
    ...new Set(resources.flatMap((resource) => [...resource.versions.keys()].map((version) => rootOf(resource.group, version)))),
  ].toSorted();
}

/**
 * Returns the document of one group and version, generated from the type model: kinds, fields and list types, and no more; undefined if
 * it has no resources. Source: Kubernetes documentation "The Kubernetes API", "OpenAPI V3".
 */
export function openApi(resources: readonly Resource[], path: string): JsonObject | undefined {
  const members = membersOf(resources, path);
  if (members.length === 0) return undefined;
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const { resource, version } of members) {
    const root = resource.types.versions.get(apiVersionOf(resource.group, version));
    if (root === undefined) continue;
    describe(root, resource, version, schemas);
    Object.assign(paths, operations(resource, version, path));
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: '1.36' }, paths, components: { schemas } };
}

/** Returns the resources of a path with their version. */
export function membersOf(
  resources: readonly Resource[],
  path: string,
): readonly { readonly resource: Resource; readonly version: string }[] {
  return resources.flatMap((resource) => {
    const versions = [...resource.versions.keys()].filter((version) => rootOf(resource.group, version) === path);
    return versions.map((version) => ({ resource, version }));
  });
}

function operations(resource: Resource, version: string, path: string): Readonly<Record<string, Json>> {
  const base = `/${path}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
  const operation = (action: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: resource.group, version, kind: resource.kind },
  });
  const patch = { ...operation('patch'), parameters: patchParameters, requestBody: patchBody(resource) };
  return {
    [base]: { get: operation('list'), post: operation('post') },
    [`${base}/{name}`]: { get: operation('get'), patch, put: operation('put'), delete: operation('delete') },
    ...(resource.versions.get(version)?.status ? { [`${base}/{name}/status`]: { patch } } : {}),
  };
}

// Clients detect server-side field validation by this parameter of any PATCH operation of the kind.
const patchParameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({ name, in: 'query' })) as unknown as Json;

/** Returns the media types of patches, by which clients choose theirs. */
function patchBody({ strategy }: Resource): JsonObject {
  const types = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json', ...(strategy.custom ? [] : ['strategic-merge-patch+json'])];
  const content = Object.fromEntries(types.map((type) => [`application/${type}`, { schema: { type: 'object' } }]));
  return { content, required: true };
}

function rootOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function describe(root: RootType, resource: Resource, version: string, schemas: Record<string, Json>): void {
  const { group, kind } = resource;
  const pending: string[] = [];
  const refer = (name: string): JsonObject => {
    if (schemas[schemaName(name)] === undefined) pending.push(name);
    return { $ref: `#/components/schemas/${schemaName(name)}` };
  };
  const type = resolve(root.schema, root.type);
  const own = 'name' in root.type && root.type.name.includes('/') ? schemaName(root.type.name) : customName(group, version, kind);
  const published = withDescriptions(node(root.schema, type, refer, root.type), resource.versions.get(version)?.declaredSchema);
  schemas[own] = { ...published, 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (schemas[schemaName(next)] !== undefined) continue;
    schemas[schemaName(next)] = {};
    schemas[schemaName(next)] = node(root.schema, resolve(root.schema, { name: next }), refer, { name: next });
  }
}

/** Where the types of a group are defined, if not with the other groups. */
const packages: Readonly<Record<string, string>> = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis',
  meta: 'io.k8s.apimachinery.pkg.apis',
};

/** Returns the name of a type as the real server publishes it: `io.k8s.api.apps.v1.Deployment`. */
function schemaName(name: string): string {
  const [group = '', type] = name.split('/');
  if (type === undefined) return name;
  return `${packages[group] ?? 'io.k8s.api'}.${group}.${type.replace(/StatusFields$/, 'Status')}`;
}

/** Returns the name of a custom type: its group backwards, its version and kind. */
function customName(group: string, version: string, kind: string): string {
  return [...group.split('.').toReversed(), version, kind].join('.');
}

type Refer = (name: string) => JsonObject;

function reference(schema: Schema, ref: TypeRef, refer: Refer): JsonObject {
  if ('inline' in ref) return node(schema, ref.inline, refer);
  const type = resolve(schema, ref);
  if (type.map === undefined || type.list !== undefined || type.scalar !== undefined) return node(schema, type, refer);
  return ref.mapRelation === undefined ? refer(ref.name) : { allOf: [refer(ref.name)], 'x-kubernetes-map-type': ref.mapRelation };
}

function node(schema: Schema, { scalar, list, map, valueValidation }: Type, refer: Refer, owner?: TypeRef): JsonObject {
  const parts = [scalar, list, map].filter((part) => part !== undefined).length;
  if (parts !== 1)
    return scalar?.format === 'int-or-string' ? { 'x-kubernetes-int-or-string': true } : { 'x-kubernetes-preserve-unknown-fields': true };
  if (scalar !== undefined) {
    const type = { numeric: scalar.integer ? 'integer' : 'number', string: 'string', boolean: 'boolean', untyped: 'string' }[scalar.kind];
    return { type, ...(scalar.format ? { format: scalar.format } : {}), ...(scalar.enum ? { enum: scalar.enum } : {}), ...valueValidation };
  }
  if (list !== undefined) {
    const kind = list.relation === 'atomic' ? 'atomic' : list.keys.length > 0 ? 'map' : 'set';
    return {
      type: 'array',
      items: reference(schema, list.element, refer),
      'x-kubernetes-list-type': kind,
      ...(list.keys.length > 0 ? { 'x-kubernetes-list-map-keys': list.keys } : {}),
      ...valueValidation,
    };
  }
  const { fields, required, element, relation } = map as NonNullable<Type['map']>;
  const properties = [...fields].map(([name, field]) => [
    name,
    { ...fieldNode(schema, field, refer), ...patchStrategy(schema, owner, name) },
  ]);
  return {
    type: 'object',
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) as JsonObject } : {}),
    ...(element === undefined ? {} : { additionalProperties: reference(schema, element, refer) }),
    ...(required.length > 0 ? { required } : {}),
    ...(relation === 'atomic' ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...valueValidation,
  };
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

function fieldNode(schema: Schema, field: Field, refer: Refer): JsonObject {
  const inner = reference(schema, field.type, refer);
  const extra = { ...(field.default === undefined ? {} : { default: field.default }), ...(field.nullable ? { nullable: true } : {}) };
  if (Object.keys(extra).length === 0) return inner;
  return inner.$ref === undefined ? { ...inner, ...extra } : { allOf: [inner], ...extra };
}
