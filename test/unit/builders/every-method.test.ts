import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { part, root, rootTypes, type Table } from 'fieldwise/builders';
import { expect, test } from 'vitest';
import { builderMethods, decodeTable, hiddenFields, type RootType, resolve, type Schema, type TypeRef } from '../../../src/schema/index.js';

const generated = fileURLToPath(new URL('../../../generated', import.meta.url));
const modules = readdirSync(generated, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replace(/\.ts$/, '').replaceAll('\\', '/'));

interface AnyBuilder {
  readonly [method: string]: (...values: unknown[]) => AnyBuilder;
}

/** Some value that a position takes. */
function sample(schema: Schema, ref: TypeRef, depth = 0): unknown {
  const { scalar, list, map } = resolve(schema, ref);
  if (scalar?.enum !== undefined) return scalar.enum[0];
  if (scalar?.format === 'date-time') return '2026-01-01T00:00:00Z';
  if (scalar?.format === 'byte') return 'YQ==';
  if (scalar !== undefined) return scalar.kind === 'numeric' ? 1 : scalar.kind === 'boolean' ? true : 'x';
  if (list !== undefined) {
    const item = sample(schema, list.element, depth + 1);
    const fields = resolve(schema, list.element).map?.fields;
    const keys = list.keys.map((key) => [key, sample(schema, fields!.get(key)!.type)]);
    return [keys.length === 0 ? item : { ...(item as object), ...Object.fromEntries(keys) }];
  }
  if (map === undefined || depth > 6) return {};
  if (map.fields.size === 0 && map.element !== undefined) return { k: sample(schema, map.element, depth + 1) };
  const wanted = map.required.length > 0 ? map.required : [...map.fields.keys()].slice(0, 1);
  return Object.fromEntries(wanted.map((name) => [name, sample(schema, map.fields.get(name)!.type, depth + 1)]));
}

/** Sets every field by its method, by `set` and in a literal; returns the fields where the three differ. */
function differences(make: () => AnyBuilder, schema: Schema, type: TypeRef, main?: RootType): string[] {
  const resolved = resolve(schema, type);
  const hidden = new Set(['apiVersion', 'kind', ...(main === undefined ? [] : hiddenFields(main).keys())]);
  const { methods } = builderMethods(schema, resolved, main === undefined ? new Set() : hidden);
  return methods.flatMap(({ wireName, method, argumentKind }) => {
    if (main !== undefined && wireName === 'metadata') return [];
    const { type: fieldType } = resolved.map!.fields.get(wireName)!;
    const value = sample(schema, fieldType);
    const items = argumentKind === 'items-by-key' || argumentKind === 'items-of-set';
    const built = (builder: AnyBuilder) => JSON.stringify((builder.build!() as unknown as Record<string, unknown>)[wireName]);
    const said = [
      built(make()[method]!(...(items ? (value as unknown[]) : [value]))),
      built(make().set!(wireName, value)),
      JSON.stringify(value),
    ];
    return new Set(said).size === 1 ? [] : [`${wireName}: ${said.join(' ')}`];
  });
}

test.each(modules)('%s: every with… sets its field, as set(…) and a literal do', async (path) => {
  const { $table } = (await import(/* @vite-ignore */ `fieldwise/k8s/${path}`)) as { $table: Table };
  const schema = decodeTable($table);
  const wrong: string[] = [];
  const names = Object.keys((JSON.parse($table.json) as { types: object }).types);
  for (const name of names) {
    const found = differences(() => part($table, name), schema, { name: `${$table.module}.${name}` });
    wrong.push(...found.map((text) => `${name}.${text}`));
  }
  const roots = Object.keys((JSON.parse($table.json) as { roots: object }).roots);
  for (const [index, main] of rootTypes($table).entries()) {
    const found = differences(() => root($table, roots[index]!, 'x'), schema, main.type, main);
    wrong.push(...found.map((text) => `${roots[index]}.${text}`));
  }
  expect(wrong).toEqual([]);
});
