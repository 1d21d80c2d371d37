import { type FieldPath, formatPath, parseElement } from '../fields/index.js';
import type { ListType, MapType, ScalarType, Schema, Type, TypeRef } from '../schema/index.js';
import { isLarge, type Json, type JsonObject } from '../util/json.js';
import { goSyntax, goType, goValue } from './go-text.js';
import { itemElement } from './list-items.js';
import { memberType, shapeOf, typeAt } from './position.js';

/** One thing that is wrong with a value, in the words of the server. */
export interface TypeProblem {
  readonly path: FieldPath;
  readonly message: string;
}

export interface ValidateOptions {
  /** Lists may hold an item twice: true for live objects and for whole objects, false for an intent. */
  readonly allowDuplicates?: boolean;
  /**
   * What earlier checks found valid, which is not looked at again; what this one finds so is added. With `allowDuplicates` only. The
   * values must not change.
   */
  readonly known?: KnownValid | undefined;
}

/** Lists and maps by the type that they fit: an object that changes shares most of itself with what it was. */
export type KnownValid = WeakMap<object, TypeRef>;

/** Checks a value against its type as the server does before it merges: declared fields, kinds of values, keys of list items. */
export function validate(schema: Schema, ref: TypeRef, value: Json, options: ValidateOptions = {}): readonly TypeProblem[] {
  const duplicates = options.allowDuplicates === true;
  const walk: Walk = { schema, path: [], problems: [], duplicates, known: duplicates ? options.known : undefined };
  validateAt(walk, ref, value);
  return walk.problems;
}

/** All problems as one text: `.spec.a: field not declared in schema`, or a list under `errors:`. */
export function problemsText(problems: readonly TypeProblem[]): string {
  const lines = problems.map(({ path, message }) => (path.length > 0 ? `${formatPath(path)}: ${message}` : message));
  if (lines.length === 1) return lines[0] as string;
  return `errors:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

interface Walk {
  readonly schema: Schema;
  /** Serialised path elements. */
  readonly path: string[];
  readonly problems: TypeProblem[];
  readonly duplicates: boolean;
  readonly known: KnownValid | undefined;
}

function report(walk: Walk, message: string): void {
  walk.problems.push({ path: walk.path.map(parseElement), message });
}

function validateAt(walk: Walk, ref: TypeRef, value: Json): void {
  if (walk.known === undefined || typeof value !== 'object' || value === null) {
    validateValue(walk, ref, value);
    return;
  }
  if (walk.known.get(value) === ref) return;
  const before = walk.problems.length;
  validateValue(walk, ref, value);
  if (walk.problems.length === before && isLarge(value)) walk.known.set(value, ref);
}

function validateValue(walk: Walk, ref: TypeRef, value: Json): void {
  const type = typeAt(walk.schema, ref);
  const shape = shapeOf(value);
  if (shape === 'null') return;
  if (shape === 'map' && type.map) validateMap(walk, type.map, value as JsonObject);
  else if (shape === 'list' && type.list) validateList(walk, type.list, value as readonly Json[]);
  else if (shape === 'scalar' && type.scalar) validateScalar(walk, type.scalar, value);
  else report(walk, mismatch(type, value));
}

function mismatch(type: Type, value: Json): string {
  if (type.map) return `expected map, got &{${goValue(value)}}`;
  if (type.scalar) return scalarMismatch(type.scalar, value) ?? '';
  return type.list ? `expected list, got &{${goValue(value)}}` : 'schema error: invalid atom: inlined type';
}

function validateScalar(walk: Walk, scalar: ScalarType, value: Json): void {
  const message = scalarMismatch(scalar, value);
  if (message !== undefined) report(walk, message);
}

function scalarMismatch({ kind }: ScalarType, value: Json): string | undefined {
  switch (kind) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}

function validateMap(walk: Walk, map: MapType, value: JsonObject): void {
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const ref = memberType(map, name);
    walk.path.push(`f:${name}`);
    if (ref === undefined) report(walk, 'field not declared in schema');
    else validateAt(walk, ref, member);
    walk.path.pop();
    // The server looks no further in a map once it has met an undeclared field.
    if (ref === undefined) return;
  }
}

function validateList(walk: Walk, list: ListType, items: readonly Json[]): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (list.relation === 'associative') {
      const keyed = itemElement(walk.schema, list, item);
      if (keyed.element === undefined) {
        report(walk, `element ${index}: ${keyed.problem}`);
        // Nor at what comes after an item without keys. Source: observed.
        return;
      }
      element = keyed.element;
      if (seen.has(element) && !walk.duplicates) report(walk, `duplicate entries for key ${formatPath([parseElement(element)])}`);
      seen.add(element);
    }
    walk.path.push(element);
    validateAt(walk, list.element, item);
    walk.path.pop();
  }
}
