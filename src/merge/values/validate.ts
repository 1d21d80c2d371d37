import { type FieldPath, fieldKey, formatPath, type PathElement, parseElement } from '../../fields/index.js';
import type { ListType, MapType, ScalarType, Schema, Type, TypeRef } from '../../schema/index.js';
import { isLarge, type Json, type JsonObject } from '../../util/json.js';
import { goSyntax, goType, goValue } from './go-text.js';
import { itemElement } from './list-items.js';
import { memberType, shapeOf, typeAt } from './position.js';

/** One error in a value, in the words of the server. */
export interface ValidationError {
  readonly path: FieldPath;
  readonly message: string;
}

export interface ValidateOptions {
  /**
   * Allows duplicate list items: true for live objects and whole objects, false for an intent.
   * @default false
   */
  readonly allowDuplicates?: boolean;
  /**
   * Values that earlier checks found valid and that are skipped; newly validated values are added. Only with `allowDuplicates`. The values
   * must not change.
   */
  readonly known?: ValidatedValues | undefined;
}

/** Validated lists and maps with their type: a changed object shares most values with its predecessor. */
export type ValidatedValues = WeakMap<object, TypeRef>;

/** Checks a value against its type as the server does before it merges: declared fields, kinds of values, keys of list items. */
export function validate(schema: Schema, ref: TypeRef, value: Json, options: ValidateOptions = {}): readonly ValidationError[] {
  const duplicates = options.allowDuplicates === true;
  const cursor: ValidateCursor = { schema, errors: [], duplicates, known: duplicates ? options.known : undefined };
  validateAt(cursor, ref, value);
  for (const { path } of cursor.errors) path.reverse();
  return cursor.errors;
}

/** Formats all errors as one text: `.spec.a: field not declared in schema`, or a list under `errors:`. */
export function formatValidationErrors(errors: readonly ValidationError[]): string {
  const lines = errors.map(({ path, message }) => (path.length > 0 ? `${formatPath(path)}: ${message}` : message));
  if (lines.length === 1) return lines[0] as string;
  return `errors:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

interface ValidateCursor {
  readonly schema: Schema;
  readonly errors: LocatedError[];
  readonly duplicates: boolean;
  readonly known: ValidatedValues | undefined;
}

/** An error whose path is found on the way back to the root, the last element first, so that valid values need none. */
interface LocatedError extends ValidationError {
  readonly path: PathElement[];
}

function report(cursor: ValidateCursor, message: string): void {
  cursor.errors.push({ path: [], message });
}

/** Says of the errors from a position on that they stand below an element. */
function locate({ errors }: ValidateCursor, from: number, element: string): void {
  if (errors.length === from) return;
  const parsed = parseElement(element);
  for (let index = from; index < errors.length; index++) errors[index]?.path.push(parsed);
}

function validateAt(cursor: ValidateCursor, ref: TypeRef, value: Json): void {
  if (cursor.known === undefined || typeof value !== 'object' || value === null) {
    validateValue(cursor, ref, value);
    return;
  }
  if (cursor.known.get(value) === ref) return;
  const before = cursor.errors.length;
  validateValue(cursor, ref, value);
  if (cursor.errors.length === before && isLarge(value)) cursor.known.set(value, ref);
}

function validateValue(cursor: ValidateCursor, ref: TypeRef, value: Json): void {
  const type = typeAt(cursor.schema, ref);
  const shape = shapeOf(value);
  if (shape === 'null') return;
  if (shape === 'map' && type.map) validateMap(cursor, type.map, value as JsonObject);
  else if (shape === 'list' && type.list) validateList(cursor, type.list, value as readonly Json[]);
  else if (shape === 'scalar' && type.scalar) validateScalar(cursor, type.scalar, value);
  else report(cursor, mismatch(type, value));
}

function mismatch(type: Type, value: Json): string {
  if (type.map) return `expected map, got &{${goValue(value)}}`;
  if (type.scalar) return scalarMismatch(type.scalar, value) ?? '';
  return type.list ? `expected list, got &{${goValue(value)}}` : 'schema error: invalid atom: inlined type';
}

function validateScalar(cursor: ValidateCursor, scalar: ScalarType, value: Json): void {
  const message = scalarMismatch(scalar, value);
  if (message !== undefined) report(cursor, message);
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

function validateMap(cursor: ValidateCursor, map: MapType, value: JsonObject): void {
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const ref = memberType(map, name);
    const before = cursor.errors.length;
    if (ref === undefined) report(cursor, 'field not declared in schema');
    else validateAt(cursor, ref, member);
    if (cursor.errors.length > before) locate(cursor, before, fieldKey(name));
    // The server stops checking a map at the first undeclared field.
    if (ref === undefined) return;
  }
}

function validateList(cursor: ValidateCursor, list: ListType, items: readonly Json[]): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (list.relation === 'associative') {
      const keyed = itemElement(cursor.schema, list, item);
      if (keyed.element === undefined) {
        report(cursor, `element ${index}: ${keyed.error}`);
        // The server also stops at an item without keys. Source: observed.
        return;
      }
      element = keyed.element;
      if (seen.has(element) && !cursor.duplicates) report(cursor, `duplicate entries for key ${formatPath([parseElement(element)])}`);
      seen.add(element);
    }
    const before = cursor.errors.length;
    validateAt(cursor, list.element, item);
    if (cursor.errors.length > before) locate(cursor, before, element);
  }
}
