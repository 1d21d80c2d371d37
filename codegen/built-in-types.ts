import type { MapType, Schema, Table, TypeRef } from '../src/schema/index.js';
import { resolve, rootTypes } from '../src/schema/index.js';
import type { FoundType } from './type-finder.js';
import { stepWord, wordsOf } from './type-names.js';

/** A type of the built-in API: what tells that a type of a CRD is a copy of it. */
export interface BuiltInType {
  /** Such as `SecretKeySelector`. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldKind>;
  /** The words of the properties whose values it is in the built-in API, as `stepWord` gives them. */
  readonly words: ReadonlySet<string>;
}

type FieldKind = 'scalar' | 'list' | 'map' | 'struct' | 'any';

/** The modules whose types CRDs copy. */
const modules = ['apps/v1', 'autoscaling/v2', 'batch/v1', 'core/v1', 'meta/v1', 'networking/v1', 'policy/v1', 'rbac/v1'];

/** Reads the types of the built-in API from the tables that ship. Types of the same name are one, of the first module. */
export async function builtInTypes(): Promise<readonly BuiltInType[]> {
  const tables = await Promise.all(
    modules.map(async (module) => {
      const specifier = `fieldwise/k8s/${module}`;
      return ((await import(specifier)) as { readonly $table: Table }).$table;
    }),
  );
  const found = new Map<string, { name: string; fields: Map<string, FieldKind>; words: Set<string> }>();
  for (const root of tables.flatMap(rootTypes)) {
    const visit = (ref: TypeRef, word: string): void => {
      if ('name' in ref) {
        const name = ref.name.slice(ref.name.lastIndexOf('.') + 1);
        const known = found.get(name);
        known?.words.add(word);
        const map = structOf(root.schema, ref);
        if (map !== undefined && known === undefined) found.set(name, { name, fields: kindsOf(root.schema, map), words: new Set([word]) });
        if (map === undefined || known !== undefined) return;
      }
      const { list, map } = resolve(root.schema, ref);
      if (list !== undefined) visit(list.element, stepWord({ name: word, many: true }));
      for (const [name, field] of map?.fields ?? []) visit(field.type, stepWord({ name, many: false }));
      if (map?.element !== undefined) visit(map.element, stepWord({ name: word, many: true }));
    };
    visit(root.type, root.kind);
  }
  return [...found.values()];
}

/**
 * Returns the name that the built-in API has for a type: its fields have the same names and kinds, and enough of them to exclude a
 * coincidence: many or rare fields, or the properties it is the value of. Those decide as well between types with the same fields, such as
 * `key`, `operator` and `values`, unless nearly all of them fit two types. CRDs copy the release that they were built with, so that a large type may lack some fields.
 */
export function builtInName(found: FoundType, schema: Schema, types: readonly BuiltInType[]): string | undefined {
  const fields = kindsOf(schema, found.type.map);
  const isRare = (field: string) => isFieldOfFew(types, field);
  const scored = types
    .filter((type) => isCopy(fields, type.fields))
    .map((type) => ({ type, evidence: evidenceOf(found, type) }))
    .sort((left, right) => right.evidence - left.evidence || (left.type.name < right.type.name ? -1 : 1));
  const [best, second] = scored;
  if (best === undefined) return undefined;
  const unique = second === undefined;
  const distinctive = unique && (fields.size >= 5 || (fields.size > 1 && [...fields.keys()].every(isRare)));
  const needed = distinctive ? 0 : fields.size < 3 ? 0.5 : unique ? 0.1 : 0.3;
  return best.evidence >= needed && (unique || (best.evidence > second.evidence && second.evidence < 0.8)) ? best.type.name : undefined;
}

/** Returns the share of uses that say so: their property has the type in the built-in API, too, or the words that set its name apart. */
function evidenceOf({ uses }: FoundType, type: BuiltInType): number {
  const claimed = wordsOf(type.name).filter((word) => !commonWords.has(word));
  let [agreeing, all] = [0, 0];
  for (const [word, { count }] of uses) {
    const words = wordsOf(word);
    all += count;
    if (type.words.has(word) || (claimed.length > 0 && claimed.every((one) => words.includes(one)))) agreeing += count;
  }
  return all === 0 ? 0 : agreeing / all;
}

/** Words of names that do not tell types apart. */
const commonWords = new Set('key local object reference selector source spec typed'.split(' '));

/** Returns true if at most three types have a field of this name. */
function isFieldOfFew(types: readonly BuiltInType[], field: string): boolean {
  let count = 0;
  for (const type of types) if (type.fields.has(field) && ++count > 3) return false;
  return true;
}

function isCopy(fields: ReadonlyMap<string, FieldKind>, known: ReadonlyMap<string, FieldKind>): boolean {
  // Most types differ in size alone.
  if (fields.size !== known.size && (fields.size < 6 || known.size < 0.85 * fields.size || fields.size < 0.6 * known.size)) return false;
  let common = 0;
  for (const [name, kind] of fields) {
    const other = known.get(name);
    if (other === undefined) continue;
    if (kind !== other && kind !== 'any' && other !== 'any') return false;
    common += 1;
  }
  if (common === fields.size && common === known.size) return true;
  return common >= 6 && common >= 0.85 * fields.size && common >= 0.6 * known.size;
}

function kindsOf(schema: Schema, map: MapType): Map<string, FieldKind> {
  return new Map([...map.fields].map(([name, field]) => [name, kindOf(schema, field.type)]));
}

function kindOf(schema: Schema, ref: TypeRef): FieldKind {
  const { scalar, list, map } = resolve(schema, ref);
  if ([scalar, list, map].filter((part) => part !== undefined).length !== 1) return 'any';
  if (map !== undefined && map.fields.size === 0 && (map.element === undefined || isAny(schema, map.element))) return 'any';
  return scalar !== undefined ? 'scalar' : list !== undefined ? 'list' : map?.fields.size === 0 ? 'map' : 'struct';
}

/** Returns whether a type is any value: a CRD leaves the fields of a nested object open. */
function isAny(schema: Schema, ref: TypeRef): boolean {
  const { scalar, list, map } = resolve(schema, ref);
  return scalar !== undefined && list !== undefined && map !== undefined;
}

function structOf(schema: Schema, ref: TypeRef): MapType | undefined {
  const { scalar, list, map } = resolve(schema, ref);
  return scalar === undefined && list === undefined && map !== undefined && map.fields.size > 0 ? map : undefined;
}
