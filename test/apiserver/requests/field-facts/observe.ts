import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type Field, type RootType, resolve, rootTypes, type Schema, type Table, type TypeRef } from '../../../../src/schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/util/json.js';

const generated = fileURLToPath(new URL('../../../../generated', import.meta.url));

/** The built-in kinds by `KIND APIVERSION`, as the shipped tables have them: types are named `apps/v1.DeploymentSpec`. */
export async function builtInRoots(): Promise<ReadonlyMap<string, RootType>> {
  const paths = readdirSync(generated, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const specifiers = paths.map((path) => `fieldwise/k8s/${path.replaceAll('\\', '/').replace(/\.ts$/, '')}`);
  const tables = await Promise.all(specifiers.map(async (specifier) => ((await import(specifier)) as { $table: Table }).$table));
  const roots = tables.flatMap((table) => rootTypes(table)).filter(({ subresource }) => subresource === undefined);
  return new Map(roots.map((root) => [`${root.kind} ${root.apiVersion}`, root]));
}

/** The sample objects, each with names of this run: files that run beside each other create all of them. */
export function samples(namespace: string): JsonObject[] {
  const text = readFileSync(new URL('samples.yaml', import.meta.url), 'utf8');
  const [second, third] = createHash('sha256').update(namespace).digest();
  const named = text.replaceAll('UNIQUE', `${namespace}-sample`).replaceAll('OWN_ADDRESS', `10.${128 + (Number(second) % 128)}.${third}.5`);
  return parse(named.replaceAll('NAMESPACE', namespace), { maxAliasCount: -1 });
}

/** A field that an object has, by the type that declares it. */
export interface Visited {
  /** Such as `apps/v1.DeploymentSpec`. */
  readonly type: string;
  readonly name: string;
  readonly field: Field;
  readonly path: Path;
  readonly value: Json;
}

export type Path = readonly (string | number)[];

/** What a user declares of an object: its fields without identity, metadata and status. */
export function declaredFields(root: RootType, object: JsonObject): Visited[] {
  const found: Visited[] = [];
  visit(root.schema, root.type, object, [], found);
  return found.filter(({ path }) => !['apiVersion', 'kind', 'metadata', 'status'].includes(String(path[0])));
}

function visit(schema: Schema, ref: TypeRef, value: Json, path: Path, found: Visited[]): void {
  const { list, map } = resolve(schema, ref);
  if (Array.isArray(value) && list !== undefined) {
    for (const [index, item] of value.entries()) visit(schema, list.element, item, [...path, index], found);
  }
  if (!isJsonObject(value) || map === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    const [field, inner] = [map.fields.get(name), [...path, name]];
    if (field !== undefined && 'name' in ref) found.push({ type: ref.name, name, field, path: inner, value: member as Json });
    const type = field?.type ?? map.element;
    if (type !== undefined) visit(schema, type, member as Json, inner, found);
  }
}

/** The value at a path, or undefined. */
export function at(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((inner, step) => (inner as Record<string | number, Json> | undefined)?.[step], value);
}

/** Other values to try at a place; undefined removes it. */
export function otherValues({ field, name, value }: Visited): (Json | undefined)[] {
  const allowed = 'inline' in field.type ? field.type.inline.scalar?.enum : undefined;
  if (allowed !== undefined) return [...allowed.filter((one) => one !== value), undefined];
  if (typeof value === 'string')
    return [...(name === 'image' ? ['b:2'] : []), ...(/^\d/.test(value) ? ['2Gi', '3'] : []), `${value}x`, 'b', undefined];
  if (typeof value === 'number') return [value + 1, undefined];
  if (typeof value === 'boolean') return [!value, undefined];
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? [[...value, 'b'], ['b'], undefined] : [undefined];
  const texts = Object.values(value ?? {}).every((member) => typeof member === 'string');
  return texts ? [{ ...(value as JsonObject), other: 'b' }, undefined] : [undefined];
}
