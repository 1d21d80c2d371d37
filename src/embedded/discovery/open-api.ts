import type { Field, RootType, Schema, Type, TypeRef } from '../../schema/index.js';
import { resolve } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { apiVersionOf, type Resource } from '../registry/resource.js';

/**
 * Returns the index of `/openapi/v3`, or the document of one group and version, generated from the type model: kinds, fields and list
 * types, and no more. Source: Kubernetes documentation "The Kubernetes API", "OpenAPI V3".
 */
export function openApi(resources: readonly Resource[], path: string): JsonObject | undefined {
  if (path === '') {
    const versions = new Set(
      resources.flatMap((resource) => [...resource.versions.keys()].map((version) => rootOf(resource.group, version))),
    );
    return {
      paths: Object.fromEntries([...versions].map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}?hash=1` }])) as JsonObject,
    };
  }
  const members = resources.flatMap((resource) => {
    return [...resource.versions.keys()]
      .filter((version) => rootOf(resource.group, version) === path)
      .map((version) => ({ resource, version }));
  });
  if (members.length === 0) return undefined;
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const { resource, version } of members) {
    const root = resource.types.versions.get(apiVersionOf(resource.group, version));
    if (root === undefined) continue;
    describe(root, resource, version, schemas);
    const base = `/${path}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
    const operation = (action: string) => ({
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group: resource.group, version, kind: resource.kind },
    });
    const patch = { ...operation('patch'), parameters: patchParameters };
    paths[base] = { get: operation('list'), post: operation('post') };
    paths[`${base}/{name}`] = {
      get: operation('get'),
      patch,
      put: operation('put'),
      delete: operation('delete'),
    };
    if (resource.versions.get(version)?.status) paths[`${base}/{name}/status`] = { patch };
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.36' }, paths, components: { schemas } };
}

// Clients detect server-side field validation by this parameter of any PATCH operation of the kind.
const patchParameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({ name, in: 'query' })) as unknown as Json;

function rootOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function describe(root: RootType, { group, kind }: Resource, version: string, schemas: Record<string, Json>): void {
  const pending: string[] = [];
  const refer = (name: string): JsonObject => {
    if (schemas[schemaName(name)] === undefined) pending.push(name);
    return { $ref: `#/components/schemas/${schemaName(name)}` };
  };
  const name = 'name' in root.type ? root.type.name : kind;
  const type = resolve(root.schema, root.type);
  schemas[schemaName(name)] = { ...node(root.schema, type, refer), 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (schemas[schemaName(next)] !== undefined) continue;
    schemas[schemaName(next)] = {};
    schemas[schemaName(next)] = node(root.schema, resolve(root.schema, { name: next }), refer);
  }
}

function schemaName(name: string): string {
  return name.replaceAll('/', '.');
}

type Refer = (name: string) => JsonObject;

function reference(schema: Schema, ref: TypeRef, refer: Refer): JsonObject {
  if ('inline' in ref) return node(schema, ref.inline, refer);
  const type = resolve(schema, ref);
  if (type.map === undefined || type.list !== undefined || type.scalar !== undefined) return node(schema, type, refer);
  return ref.mapRelation === undefined ? refer(ref.name) : { allOf: [refer(ref.name)], 'x-kubernetes-map-type': ref.mapRelation };
}

function node(schema: Schema, { scalar, list, map, valueValidation }: Type, refer: Refer): JsonObject {
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
  const properties = [...fields].map(([name, field]) => [name, fieldNode(schema, field, refer)]);
  return {
    type: 'object',
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) as JsonObject } : {}),
    ...(element === undefined ? {} : { additionalProperties: reference(schema, element, refer) }),
    ...(required.length > 0 ? { required } : {}),
    ...(relation === 'atomic' ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...valueValidation,
  };
}

function fieldNode(schema: Schema, field: Field, refer: Refer): JsonObject {
  const inner = reference(schema, field.type, refer);
  const extra = { ...(field.default === undefined ? {} : { default: field.default }), ...(field.nullable ? { nullable: true } : {}) };
  if (Object.keys(extra).length === 0) return inner;
  return inner.$ref === undefined ? { ...inner, ...extra } : { allOf: [inner], ...extra };
}
