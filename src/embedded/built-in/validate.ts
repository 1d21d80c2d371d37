import { type RootType, resolve, type Schema, type TypeRef } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue, required, shown, unsupported } from '../api/field-error.js';
import type { WholeValues } from './go-form.js';
import { kindRules } from './kind-rules.js';
import type { Traits } from './traits.js';

export interface BuiltInRules {
  readonly root: RootType;
  readonly traits: Traits;
  /** Values that were found valid for a type before. */
  readonly valid: WholeValues;
}

/** Rules about the content of a built-in kind: those of its schema (required, enum), of the table of traits, and of its kind. */
export function validateBuiltIn(
  { root, traits, valid }: BuiltInRules,
  object: JsonObject,
  live: JsonObject | undefined,
  subresource: string | undefined,
): readonly FieldError[] {
  if (subresource === 'status') return [];
  const errors: FieldError[] = [];
  for (const path of traits.immutable ?? []) {
    if (live === undefined) continue;
    const value = at(object, path);
    if (!jsonEqual(value ?? null, at(live, path) ?? null)) errors.push(invalidValue(path, value ?? null, 'field is immutable'));
  }
  errors.push(...(kindRules[root.kind]?.(object, live) ?? []));
  const { status: _, metadata: __, ...content } = object;
  errors.push(...schemaErrors({ schema: root.schema, valid }, root.type, content, ''));
  const seen = new Set<string>();
  return errors.filter((error) => {
    const key = `${error.type} ${error.field} ${error.detail ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function at(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

interface Walk {
  readonly schema: Schema;
  readonly valid: WholeValues;
}

function schemaErrors(walk: Walk, ref: TypeRef, value: Json, path: string): readonly FieldError[] {
  if (typeof value !== 'object' || value === null) return errorsOf(walk, ref, value, path);
  if (walk.valid.get(value) === ref) return [];
  const errors = errorsOf(walk, ref, value, path);
  if (errors.length === 0 && path !== '') walk.valid.set(value, ref);
  return errors;
}

function errorsOf(walk: Walk, ref: TypeRef, value: Json, path: string): readonly FieldError[] {
  const type = resolve(walk.schema, ref);
  if ('name' in ref && ref.name.endsWith('.ObjectMeta')) return [];
  if (Array.isArray(value)) {
    const element = type.list?.element;
    return element === undefined
      ? []
      : (value as readonly Json[]).flatMap((item, index) => schemaErrors(walk, element, item, `${path}[${index}]`));
  }
  if (isJsonObject(value)) {
    const { map } = type;
    if (map === undefined) return [];
    const missing = map.required
      .filter((name) => path !== '' || (name !== 'status' && name !== 'metadata'))
      .filter((name) => isMissing(value[name]))
      .map((name) => required(path === '' ? name : `${path}.${name}`));
    const inner = Object.entries(value).flatMap(([name, member]) => {
      const field = map.fields.get(name)?.type ?? (map.fields.size === 0 ? map.element : undefined);
      const step = map.fields.size === 0 ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      return field === undefined || member === undefined || member === null ? [] : schemaErrors(walk, field, member as Json, step);
    });
    return [...missing, ...inner];
  }
  const choices = type.scalar?.enum;
  if (choices !== undefined && value !== '' && !choices.some((choice) => jsonEqual(choice, value))) {
    return [
      unsupported(
        path,
        value,
        choices.map((choice) => (typeof choice === 'string' ? choice : shown(choice))),
      ),
    ];
  }
  return [];
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
