import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decodeTable, type Table } from '../../../src/schema/index.js';

const generated = fileURLToPath(new URL('../../../generated', import.meta.url));

/** Wire names of the fields of the types of the built-in API, by name; a name that stands in several groups has several shapes. */
export type BuiltInShapes = ReadonlyMap<string, readonly ReadonlySet<string>[]>;

/** Reads the tables of the shipped modules. */
export async function builtInShapes(): Promise<BuiltInShapes> {
  const shapes = new Map<string, ReadonlySet<string>[]>();
  const files = readdirSync(generated, { recursive: true, encoding: 'utf8' }).filter((file) => /^\w+\/v\d\w*\.ts$/.test(file));
  for (const file of files.sort()) {
    const { $table: table } = (await import(pathToFileURL(join(generated, file)).href)) as { readonly $table: Table };
    const schema = decodeTable(table);
    const { types } = JSON.parse(table.json) as { readonly types: object };
    for (const name of Object.keys(types)) {
      const map = schema.types.get(`${table.module}.${name}`)?.map;
      if (map !== undefined) shapes.set(name, [...(shapes.get(name) ?? []), new Set(map.fields.keys())]);
    }
  }
  return shapes;
}

/**
 * Returns true if a type has the name and the shape of a type of the built-in API: the names are equal but for a number behind, and all of
 * its fields are fields of that type. Copies in CRDs are often older than the API, so that a few fields may be missing.
 */
export function isNamedAfterBuiltIn(base: string, fields: readonly string[], shapes: BuiltInShapes): boolean {
  const candidates = shapes.get(base) ?? shapes.get(base.replace(/\d+$/, '')) ?? [];
  return candidates.some((shape) => 2 * fields.length >= shape.size && fields.every((field) => shape.has(field)));
}

/** Returns true if a type of the built-in API has exactly these fields: three at least, since fewer may be the same by chance. */
export function hasBuiltInShape(fields: readonly string[], shapes: BuiltInShapes): boolean {
  if (fields.length < 3) return false;
  const same = (shape: ReadonlySet<string>) => shape.size === fields.length && fields.every((field) => shape.has(field));
  return [...shapes.values()].some((candidates) => candidates.some(same));
}
