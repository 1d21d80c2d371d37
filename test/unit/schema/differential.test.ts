import { expect, test } from 'vitest';
import type { Schema, Table, Type, TypeRef } from '../../../src/schema/index.js';
import { objectMetaName, objectMetaTypes, readOpenApi, resolve } from '../../../src/schema/index.js';
import { rootTypes } from '../../../src/schema/table/decode-table.js';
import { openApiDocuments } from '../../openapi-sample/openapi-documents.js';

/**
 * The generated tables against the OpenAPI documents they came from, read by a second, independent and deliberately plain walk
 * over the JSON: list relations, keys, key defaults and map relations of every type must be equal.
 */
// biome-ignore lint/suspicious/noExplicitAny: an independent reading of the documents, without our own types
type Node = Record<string, any>;

test('relations of the built-in API are those of its OpenAPI documents', async () => {
  const docs = openApiDocuments();
  const schemas: Record<string, Node> = Object.assign({}, ...docs.map(({ document }) => (document as Node).components.schemas));
  const roots = readOpenApi(docs).roots;
  let lists = 0;
  let maps = 0;
  for (const { apiVersion, kind, type } of roots) {
    const module = apiVersion.includes('/') ? apiVersion.replace(/\..*\//, '/') : `core/${apiVersion}`;
    const specifier = `fieldwise/k8s/${module}`;
    const { $table } = (await import(/* @vite-ignore */ specifier)) as { $table: Table };
    const root = rootTypes($table).find((candidate) => candidate.kind === kind && candidate.subresource === undefined);
    expect(root, `${kind} ${apiVersion}`).toBeDefined();
    const seen = new Set<string>();
    const walk = (ref: TypeRef, node: Node, path: string, override?: string): void => {
      const name = node.$ref ?? (node.allOf?.length === 1 ? node.allOf[0].$ref : undefined);
      if (name !== undefined) {
        const target = name.slice('#/components/schemas/'.length);
        if (/Quantity$|RawExtension$|IntOrString$/.test(target)) return;
        if (seen.has(target)) return;
        seen.add(target);
        walk(ref, schemas[target] as Node, path, node['x-kubernetes-map-type']);
        return;
      }
      const found = resolve(root!.schema, ref);
      if (node.type === 'array') {
        lists++;
        expect(listOf(found, root!.schema), path).toEqual(expectedList(node, schemas));
        walk(found.list!.element, node.items, `${path}[]`);
      }
      if (node.type === 'object') {
        maps++;
        expect(found.map?.relation, path).toBe(override ?? node['x-kubernetes-map-type'] ?? 'granular');
        expect([...found.map!.fields.keys()].sort(), path).toEqual(Object.keys(node.properties ?? {}).sort());
        for (const [field, child] of Object.entries<Node>(node.properties ?? {}))
          walk(found.map!.fields.get(field)!.type, child, `${path}.${field}`);
        if (node.additionalProperties) walk(found.map!.element!, node.additionalProperties, `${path}.*`);
        else expect(found.map?.element !== undefined, path).toBe(node.properties === undefined);
      }
    };
    walk(root!.type, { $ref: `#/components/schemas/${(type as { name: string }).name}` }, kind);
  }
  console.log(`Compared ${roots.length} kinds: ${lists} lists, ${maps} objects.`);
  expect(roots.length).toBeGreaterThanOrEqual(process.env.OPENAPI ? 50 : 7);
});

test('ObjectMeta as written here is ObjectMeta as published', () => {
  const published = readOpenApi(openApiDocuments()).schema;
  const ours: Schema = { types: new Map([...published.types, ...objectMetaTypes()]) };
  const outline = (schema: Schema) => JSON.stringify(expand(schema, { name: objectMetaName }));
  expect(outline(ours)).toBe(outline(published));
});

function expand(schema: Schema, ref: TypeRef): unknown {
  if ('name' in ref && ref.name === 'deduced') return 'any';
  const { scalar, list, map }: Type = resolve(schema, ref);
  const fields = [...(map?.fields ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    scalar,
    list: list && { ...list, element: expand(schema, list.element) },
    map: map && {
      relation: map.relation,
      required: [...map.required].sort(),
      fields: fields.map(([name, field]) => [name, field.default, expand(schema, field.type)]),
      element: map.element && expand(schema, map.element),
    },
  };
}

function listOf(type: Type, schema: Schema): unknown {
  const { relation, keys, element } = type.list!;
  const fields = resolve(schema, element).map?.fields;
  return { relation, keys: keys.map((key) => [key, fields?.get(key)?.default]) };
}

function expectedList(node: Node, schemas: Record<string, Node>): unknown {
  const type = node['x-kubernetes-list-type'];
  const byPatch = type === undefined && (node['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge');
  const patchKey = node['x-kubernetes-patch-merge-key'];
  const keys: string[] = type === 'map' ? node['x-kubernetes-list-map-keys'] : byPatch && patchKey ? [patchKey] : [];
  const ref = node.items.$ref ?? node.items.allOf?.[0].$ref;
  const item = ref ? schemas[ref.slice('#/components/schemas/'.length)] : node.items;
  const relation = type === 'map' || type === 'set' || byPatch ? 'associative' : 'atomic';
  return { relation, keys: [...keys].sort().map((key) => [key, item?.properties?.[key]?.default]) };
}
